"""Perturbations of data, never of text, and the profiles that declare them.

A fault answers instead of the world. A slice edit maps pages to pages, or drops a hit. Both are drawn by seed, never
by the session: rollouts of one group, which share the seed, meet the same ones. Edits draw from (seed, kind, page id),
never from the call, so that a page and every snippet of it agree.

What a task needs is never lost. In plain worlds the pages that a schema declares, and directories, may come later in a
ranking or in parts, but stay whole, true and open; what is closed, cut or contradicted are the spare ones: news, blogs,
archive copies, mirrors. In natural worlds `detour` meets any page, and leaves a way round each: a page that is not met,
or a copy on another site. A fault passes when the call is made again, twice at most.
"""

from worldsmith.simulate.perturb.curriculum import Curriculum, load_curriculum
from worldsmith.simulate.perturb.faults import FAULTS, MOST_FAULTS, faults_of
from worldsmith.simulate.perturb.pages import PAGE_EDITS, is_spare
from worldsmith.simulate.perturb.profiles import EDITS, PROFILES, instruction, profile_named, slice_edits_of
from worldsmith.simulate.perturb.ranking import RANKINGS, EditedRanking, ranked_hits
from worldsmith.simulate.perturb.withhold import LEVELS, withhold

__all__ = [
    "EDITS",
    "FAULTS",
    "LEVELS",
    "MOST_FAULTS",
    "PAGE_EDITS",
    "PROFILES",
    "RANKINGS",
    "Curriculum",
    "EditedRanking",
    "faults_of",
    "instruction",
    "is_spare",
    "load_curriculum",
    "profile_named",
    "ranked_hits",
    "slice_edits_of",
    "withhold",
]
