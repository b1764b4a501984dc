"""A command under `worldsmith exec`: each of its hosts is the simulator, and no packet of it leaves the machine."""

import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
from http.client import HTTPConnection, HTTPResponse
from ipaddress import ip_address
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from worldsmith.pages import Pages
from worldsmith.serving import create_app
from worldsmith.serving.dialects import DIALECTS
from worldsmith.serving.redirection.authority import Authority
from worldsmith.serving.redirection.command import redirected_environment
from worldsmith.serving.redirection.gateway import running_gateway
from worldsmith.serving.redirection.hooks.sitecustomize import REDIRECTED, Redirection
from worldsmith.serving.redirection.hosts import SERVICES, ByVisitedHost, host_name, is_this_machine

EXEC = [sys.executable, "-m", "worldsmith", "exec"]
QUERY = {"query": "shops", "max_results": 3}


@pytest.fixture(scope="module")
def visited(town):
    return ByVisitedHost(create_app([town], session="exec"))


@pytest.fixture(scope="module")
def page(town):
    pages = Pages(town)
    return next(pages.url(pages.about(row)) for table in town.tables for row in town.rows_of(table) if pages.about(row))


@pytest.fixture(scope="module")
def gateway(visited, tmp_path_factory):
    """The port of a running gateway, and the file of its authority."""
    authority, bundle = Authority(), tmp_path_factory.mktemp("exec") / "authorities.pem"
    authority.write(bundle, public=False)
    with running_gateway(visited, authority) as port:
        yield port, bundle


def request(url, body=None, **headers):
    """Return the bytes of a request to the host of a URL, as a client writes them that was led elsewhere."""
    _, _, host, path = url.split("/", 3)
    text = "" if body is None else json.dumps(body)
    lines = [f"{'GET' if body is None else 'POST'} /{path} HTTP/1.1", f"Host: {host}", f"Content-Length: {len(text)}"]
    return "\r\n".join([*lines, *(f"{name}: {value}" for name, value in headers.items()), "", text]).encode()


def reply(sock):
    response = HTTPResponse(sock)
    response.begin()
    return response.status, response.read()


def tls(sock, bundle, host):
    return ssl.create_default_context(cafile=bundle).wrap_socket(sock, server_hostname=host)


def test_one_port_takes_http_tls_and_tunnels_for_any_host(gateway, page):
    port, bundle = gateway
    host = page.split("/")[2]
    bodies = []
    for scheme in ("http", "https", "tunnel"):
        with socket.create_connection(("127.0.0.1", port)) as plain:
            if scheme == "tunnel":
                plain.sendall(f"CONNECT {host}:443 HTTP/1.1\r\nHost: {host}:443\r\n\r\n".encode())
                assert plain.recv(100) == b"HTTP/1.1 200 Connection established\r\n\r\n"
            with plain if scheme == "http" else tls(plain, bundle, host) as sock:
                sock.sendall(request(page))
                status, body = reply(sock)
        assert status == 200
        bodies.append(body)
    connection = HTTPConnection("127.0.0.1", port)
    connection.request("GET", page.replace("https", "http"), headers={"Host": host})  # as a proxy gets it
    bodies.append(connection.getresponse().read())
    connection.close()
    assert b"<html" in bodies[0]
    assert len(set(bodies)) == 1


def test_a_certificate_is_of_the_host_that_is_named_and_only_its_own_bundle_trusts_it(gateway):
    port, bundle = gateway
    for host in ("api.tavily.com", "en.wikipedia.org"):
        with tls(socket.create_connection(("127.0.0.1", port)), bundle, host) as sock:
            assert sock.getpeercert()["subjectAltName"] == (("DNS", host),)
    with socket.create_connection(("127.0.0.1", port)) as plain, pytest.raises(ssl.SSLCertVerificationError):
        ssl.create_default_context().wrap_socket(plain, server_hostname="api.tavily.com")


def test_a_service_answers_at_its_host_as_at_its_route(visited, town):
    by_host = TestClient(visited, base_url="https://api.tavily.com")
    by_route = TestClient(create_app([town], session="exec"))
    for route, body in (("/search", QUERY), ("/search", {"query": 3}), ("/extract", {"urls": "https://a.example/"})):
        here, there = by_host.post(route, json=body), by_route.post(f"/tavily{route}", json=body)
        assert (here.status_code, here.content) == (there.status_code, there.content)
    assert visited.requests["api.tavily.com"] == 3
    assert by_host.post("/api/search", json={"query": "shops"}).status_code == 404


def test_any_other_host_is_a_site_of_the_world_or_has_no_page(visited, page):
    client = TestClient(visited)
    assert client.get(page).status_code == 200
    for url in ("https://en.wikipedia.org/wiki/Oslo", "http://169.254.169.254/latest", "http://[2001:db8::1]/"):
        response = client.get(url)
        assert response.status_code == 404
        assert "<title>404 Not Found</title>" in response.text
    assert client.get("http://127.0.0.1:8000/healthz").json() == {"status": "ok"}


def test_services_name_dialects_that_answer_at_their_roots():
    for host, service in SERVICES.items():
        assert host == host_name(host)
        assert any(route.path.startswith(service.root) for route in DIALECTS[service.dialect].routes), host


@pytest.mark.parametrize(
    ("header", "host", "own"),
    [
        ("API.tavily.com:443", "api.tavily.com", False),
        ("a.example.", "a.example", False),
        ("127.0.0.1:8000", "127.0.0.1", True),
        ("[::1]:8000", "::1", True),
        ("[2001:db8::1]", "2001:db8::1", False),
        ("localhost", "localhost", True),
        ("", "", True),
    ],
)
def test_the_host_of_a_header(header, host, own):
    assert (host_name(header), is_this_machine(host)) == (host, own)


@pytest.mark.parametrize(
    ("address", "port"),
    [
        (("127.0.0.1", 8001), 8001),
        (("localhost", 8001), 8001),
        (("0.0.0.0", 8001), 8001),
        (("model.example.org", 8001), 8001),
        ((REDIRECTED, 443), 9),
        (("93.184.215.14", 443), 9),
        ((b"api.exa.ai", 443), 9),
        (("127.evil.com", 80), 9),
        (("localhost.evil.com", 80), 9),
        (("2130706433", 80), 9),
    ],
)
def test_only_this_machine_and_allowed_hosts_are_reached(address, port):
    redirection = Redirection(9, frozenset({"model.example.org"}))
    with socket.socket() as sock:
        assert redirection.destination(sock, address)[1] == port
    with socket.socket(socket.AF_UNIX) as sock:
        assert redirection.destination(sock, "/run/a.sock") == "/run/a.sock"


def test_an_allowed_host_is_resolved_and_its_addresses_are_reached():
    redirection = Redirection(9, frozenset({"model.example.org"}))
    asked = []

    def resolve(host, *rest):
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("192.0.2.7", 443))]

    redirection.resolve = resolve
    assert not redirection.passes("192.0.2.7")
    redirection.getaddrinfo("Model.example.org", 443)
    assert redirection.passes("192.0.2.7")
    redirection.getaddrinfo("api.exa.ai", 443)
    redirection.getaddrinfo(socket.gethostname(), 443)
    assert asked == ["Model.example.org", REDIRECTED, "localhost"]


def test_the_environment_keeps_what_the_user_set(tmp_path):
    usual = {"PYTHONPATH": "/mine", "NODE_OPTIONS": "--no-warnings", "TAVILY_API_KEY": "k", "no_proxy": "*"}
    changed = redirected_environment(usual, 9, tmp_path / "a.pem", ["api.openai.com"])
    hooks, mine = changed["PYTHONPATH"].split(os.pathsep)
    assert sorted(file.name for file in Path(hooks).glob("*.*")) == [
        "__init__.py",
        "redirect.cjs",
        "sitecustomize.py",
        "uvloop.py",
    ]
    assert (mine, changed["TAVILY_API_KEY"]) == ("/mine", "k")
    assert changed["NODE_OPTIONS"] == f'--no-warnings --require "{hooks}/redirect.cjs"'
    assert changed["no_proxy"] == changed["NO_PROXY"] == "localhost,127.0.0.1,::1,api.openai.com"
    assert changed["HTTPS_PROXY"] == changed["https_proxy"] == "http://127.0.0.1:9"


PROBE = """
import os, sys
def note(event, args):
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        print("to", args[1][0] if args[1] else "", file=log, flush=True)
    if event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"):
        print("name", args[0], file=log, flush=True)
log = open(os.environ["PROBE_LOG"], "a")
sys.addaudithook(note)
"""
"""A `sitecustomize` of the user's, below ours: it notes what reaches the system's own socket calls."""

CLIENT = """
import asyncio, certifi, http.client, json, socket, ssl, sys, urllib.request, uvloop
page = sys.argv[1]
of_its_own = ssl.create_default_context(cafile=certifi.where())
connection = http.client.HTTPSConnection("api.tavily.com", context=of_its_own)
connection.request("POST", "/search", json.dumps({"query": "shops", "max_results": 3}))
hits = json.load(connection.getresponse())["results"]
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
statuses = [opener.open(page).status]
async def visit():
    host, path = page.split("/", 3)[2:]
    reader, writer = await asyncio.open_connection(host, 443, ssl=True)
    writer.write(f"GET /{path} HTTP/1.1\\r\\nHost: {host}\\r\\nConnection: close\\r\\n\\r\\n".encode())
    line = await reader.readline()
    writer.close()
    return int(line.split()[1])
uvloop.install()
statuses.append(asyncio.run(visit()))
direct = socket.create_connection(("93.184.215.14", 80))
direct.sendall(b"GET / HTTP/1.1\\r\\nHost: 93.184.215.14\\r\\n\\r\\n")
statuses.append(int(direct.recv(100).split()[1]))
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.sendto(b"query", ("8.8.8.8", 53))
udp.sendmsg([b"query"], [], 0, ("8.8.8.8", 53))
socket.gethostbyname("db.internal")
socket.getfqdn("93.184.215.14")
print(json.dumps([len(hits), statuses]))
"""


def test_no_address_beyond_this_machine_reaches_the_system(gateway, page, tmp_path):
    port, bundle = gateway
    (tmp_path / "sitecustomize.py").write_text(PROBE)
    log = tmp_path / "log"
    environment = redirected_environment({**os.environ, "PYTHONPATH": str(tmp_path)}, port, bundle)
    done = subprocess.run(
        [sys.executable, "-c", CLIENT, page],
        env={**environment, "PROBE_LOG": str(log)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [3, [200, 200, 404]]
    calls = [line.split() for line in log.read_text().splitlines()]
    reached = [ip_address(host) for kind, host in calls if kind == "to"]
    assert len(reached) >= 6
    assert all(address.is_loopback for address in reached)
    assert all(ip_address(host) for kind, host in calls if kind == "name")  # an address is asked of nobody


@pytest.fixture(scope="module")
def saved(town, tmp_path_factory):
    from worldsmith.world.files import save_world

    return save_world(town, tmp_path_factory.mktemp("w"))


def test_the_exit_code_is_the_commands_and_the_last_line_names_its_hosts(saved, call):
    visits = "import urllib.request as u; [u.urlopen('http://api.tavily.com/healthz')]"
    code = f"try:\n  {visits}\nexcept Exception as e:\n  raise SystemExit(e.code // 100)"
    done = call("exec", saved, "--", sys.executable, "-c", code, code=4)
    assert "worldsmith exec: 1 request reached the simulator: api.tavily.com 1" in done.output
    done = call("exec", saved, "--", sys.executable, "-c", "import os; os.kill(os.getpid(), 15)", code=143)
    assert "no request reached the simulator" in done.output
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


def test_a_signal_to_end_is_passed_on(saved):
    code = "import os, time; os.kill(os.getppid(), 15); time.sleep(60)"
    done = subprocess.run([*EXEC, saved, "--", sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 128 + signal.SIGTERM


def test_a_profile_with_faults_needs_no_session(saved, call):
    code = (
        "import json, urllib.request as u; body = json.dumps({'query': 'shops'}).encode()\n"
        "raise SystemExit(len(json.load(u.urlopen('https://api.tavily.com/search', body))['results']))"
    )
    call("exec", saved, "--profile", "realistic", "--", sys.executable, "-c", code, code=5)


def test_what_cant_be_run_is_said(saved, call, monkeypatch, tmp_path):
    done = call("exec", saved, "--", tmp_path / "absent", code=2)
    assert f"can't run {tmp_path}/absent: No such file or directory" in done.output
    monkeypatch.setitem(sys.modules, "trustme", None)
    done = call("exec", saved, "--", "true", code=2)
    assert 'pip install "worldsmith[exec]"' in done.output


VARIABLE = "WORLDSMITH_CLIENTS"
LIBRARIES = """
import asyncio, json, ssl
import aiohttp, httpx, requests, uvloop
from haystack_integrations.components.websearch.tavily import TavilyWebSearch
from haystack.utils import Secret
from smolagents import VisitWebpageTool
hits = TavilyWebSearch(api_key=Secret.from_token("tvly-any"), top_k=3).run(query="shops")
url = hits["links"][0]
text = requests.get(url).text
bare = requests.Session()
bare.trust_env = False
assert bare.get(url).text == text
assert httpx.get(url).text == text
assert httpx.get(url, trust_env=False, verify=ssl.create_default_context()).text == text
async def visit():
    async with httpx.AsyncClient() as client:
        assert (await client.get(url)).text == text
    async with aiohttp.ClientSession() as client, client.get(url) as response:
        assert await response.text() == text
asyncio.run(visit())
uvloop.run(visit())
assert requests.get("https://en.wikipedia.org/wiki/Oslo").status_code == 404
print(json.dumps([hits["links"], VisitWebpageTool()(url)[:200]]))
"""
SMOLAGENTS = """
import json, os, re
os.environ["SERPER_API_KEY"] = "any"
from smolagents import GoogleSearchTool, ToolCallingAgent, VisitWebpageTool
from smolagents.models import ChatMessage, ChatMessageToolCall, ChatMessageToolCallFunction, Model
class Script(Model):
    turn, links = 0, []
    def generate(self, messages, **options):
        text = messages[-1].content[0]["text"]
        if self.turn == 1:
            self.links = re.findall(r"\\]\\((https://[^)]+)\\)", text)
        name, arguments = [
            ("web_search", {"query": "shops"}),
            ("visit_webpage", {"url": (self.links or [""])[0]}),
            ("final_answer", {"answer": json.dumps([self.links, text])}),
        ][self.turn]
        self.turn += 1
        function = ChatMessageToolCallFunction(name=name, arguments=arguments)
        call = ChatMessageToolCall(id=str(self.turn), type="function", function=function)
        return ChatMessage("assistant", "", tool_calls=[call])
tools = [GoogleSearchTool(provider="serper"), VisitWebpageTool()]
print(ToolCallingAgent(tools, Script(), verbosity_level=0).run("Which shops are there?", max_steps=4))
"""
"""An agent whose model is a script: it searches, opens the first hit, and answers with what it saw."""
HAYSTACK = """
import json
from haystack import component
from haystack.components.agents import Agent
from haystack.components.fetchers import LinkContentFetcher
from haystack.dataclasses import ChatMessage, ToolCall
from haystack.tools import Tool
from haystack.utils import Secret
from haystack_integrations.components.websearch.tavily import TavilyWebSearch
web = TavilyWebSearch(api_key=Secret.from_token("tvly-any"), top_k=3)
def search(query):
    return "\\n".join(web.run(query=query)["links"])
def fetch(url):
    return LinkContentFetcher().run(urls=[url])["streams"][0].data.decode()
def tool(function, argument):
    schema = {"type": "object", "properties": {argument: {"type": "string"}}, "required": [argument]}
    return Tool(function.__name__, "A tool.", schema, function)
@component
class Script:
    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage], tools=None, **options):
        texts = [message.tool_call_result.result for message in messages if message.tool_call_result]
        if len(texts) == 2:
            return {"replies": [ChatMessage.from_assistant(json.dumps([texts[0].split(), texts[1]]))]}
        call = ToolCall("fetch", {"url": texts[0].split()[0]}) if texts else ToolCall("search", {"query": "shops"})
        return {"replies": [ChatMessage.from_assistant(tool_calls=[call])]}
agent = Agent(chat_generator=Script(), tools=[tool(search, "query"), tool(fetch, "url")])
print(agent.run(messages=[ChatMessage.from_user("Which shops are there?")])["messages"][-1].text)
"""
LANGCHAIN = """
import asyncio, json, warnings
warnings.simplefilter("ignore")
from langchain_community.utilities import GoogleSerperAPIWrapper
from langchain_community.utilities.brave_search import BraveSearchWrapper
from langchain_community.utilities.jina_search import JinaSearchAPIWrapper
serper = GoogleSerperAPIWrapper(serper_api_key="any", k=10)
hits = serper.results("shops")["organic"]
assert asyncio.run(serper.aresults("shops"))["organic"] == hits
links = [hit["link"] for hit in hits]
brave = BraveSearchWrapper(api_key="any", search_kwargs={"count": 10}).run("shops")
jina = JinaSearchAPIWrapper(api_key="any").run("shops")
assert [hit["link"] for hit in json.loads(brave)] == [hit["link"] for hit in json.loads(jina)] == links
print(json.dumps([links, hits[0]["title"]]))
"""
QWEN = """
import json, os
os.environ["SERPER_API_KEY"] = "any"
from qwen_agent.tools.web_extractor import WebExtractor
from qwen_agent.tools.web_search import WebSearch
links = [hit["link"] for hit in WebSearch.search("shops")]
print(json.dumps([links, str(WebExtractor().call({"url": links[0]}))]))
"""
GPT_OSS = """
import asyncio, json, os
os.environ["EXA_API_KEY"] = os.environ["YDC_API_KEY"] = "any"
from gpt_oss.tools.simple_browser import SimpleBrowserTool
from gpt_oss.tools.simple_browser.backend import ExaBackend, YouComBackend
async def main():
    displays = []
    for backend in (ExaBackend, YouComBackend):
        browser = SimpleBrowserTool(backend(source="web"), view_tokens=10**6)
        [message async for message in browser.search(query="shops")]
        links = list(browser.tool_state.get_page().urls.values())
        displays.append([links, [message.content[0].text async for message in browser.open(id=0)][0]])
    assert displays[0] == displays[1]
    print(json.dumps(displays[0]))
asyncio.run(main())
"""
AGENTS = {
    "smolagents": ("exec", SMOLAGENTS),
    "haystack": ("exec", HAYSTACK),
    "langchain-community": ("langchain-community", LANGCHAIN),
    "qwen-agent": ("qwen-agent", QWEN),
    "gpt-oss": ("gpt-oss", GPT_OSS),
}
"""Agents and tools whose hosts are in their code: the environment of each, and a program that prints links and text."""
NODE = """
const tls = require("tls");
(async () => {
  const reply = await fetch("https://api.tavily.com/search",
    {method: "POST", body: JSON.stringify({query: "shops", max_results: 3})});
  const links = (await reply.json()).results.map((hit) => hit.url);
  const page = await (await fetch(links[0])).text();
  if ((await fetch("http://127.name.example/")).status !== 404) process.exit(1);
  require("https").get(links[0], (response) => {
    let text = "";
    response.on("data", (part) => { text += part; });
    response.on("end", () => {
      const socket = tls.connect(443, "en.wikipedia.org", {servername: "en.wikipedia.org"}, () => {
        socket.end();
        console.log(JSON.stringify([links, socket.authorized && text === page && page.includes("<html")]));
      });
    });
  });
})();
"""
CURL = 'curl -sS https://api.tavily.com/search -d \'{"query": "shops", "max_results": 3}\''


def traced(tmp_path, *command):
    """Run a command under strace; return its last line, and the addresses that it or its children sent to."""
    for program in ("strace", command[0]):
        if not shutil.which(program):
            pytest.skip(f"{program} is missing")
    log = tmp_path / "strace.log"
    trace = ["strace", "-f", "-qq", "-o", log, "-e", "trace=connect,sendto,sendmsg,sendmmsg"]
    done = subprocess.run([*trace, *command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    texts = re.findall(r'(?:inet_addr\(|inet_pton\(AF_INET6, )"([^"]+)"', log.read_text())
    addresses = [ip_address(text) for text in texts]
    return done.stdout.splitlines()[-1], [getattr(address, "ipv4_mapped", None) or address for address in addresses]


def run_traced(saved, tmp_path, *command):
    """Run a command under exec; return the JSON value that it printed last, once no address was foreign."""
    if not shutil.which(command[0]):
        pytest.skip(f"{command[0]} is missing")
    line, addresses = traced(tmp_path, *EXEC, saved, "--", *command)
    assert addresses
    assert {str(address) for address in addresses if not address.is_loopback} == set()
    return json.loads(line)


@pytest.fixture(scope="module")
def links(town):
    client = TestClient(create_app([town]))
    return [hit["url"] for hit in client.post("/search", json=QUERY).json()["results"]]


@pytest.mark.clients
def test_the_trace_shows_a_foreign_address(tmp_path):
    code = "from socket import *; socket(AF_INET, SOCK_DGRAM).connect(('192.0.2.1', 9)); print()"  # no packet is sent
    assert [str(address) for address in traced(tmp_path, sys.executable, "-c", code)[1]] == ["192.0.2.1"]


def environment_python(name):
    if not (folder := os.environ.get(VARIABLE)):
        pytest.skip(f"{VARIABLE} names no folder of environments")
    python = Path(folder) / name / "bin" / "python"
    if not python.is_file():
        pytest.skip(f"{python} is missing: no environment for {name}")
    return str(python)


@pytest.mark.clients
def test_python_clients_with_fixed_hosts_search_and_read(saved, tmp_path, links):
    urls, text = run_traced(saved, tmp_path, environment_python("exec"), "-c", LIBRARIES)
    assert urls == links
    assert text.strip()


@pytest.mark.clients
@pytest.mark.parametrize("name", AGENTS)
def test_an_agent_with_fixed_hosts_searches_and_reads(name, saved, tmp_path, links, monkeypatch, town):
    environment, code = AGENTS[name]
    monkeypatch.chdir(tmp_path)  # some keep what they read
    urls, text = run_traced(saved, tmp_path, environment_python(environment), "-c", code)
    assert urls[: len(links)] == links
    page = TestClient(create_app([town])).post("/api/extract", json={"url": links[0]}).json()
    assert page["title"].partition(":")[0] in text  # of a hit its title may be cut


@pytest.mark.clients
def test_node_searches_and_reads(saved, tmp_path, links):
    assert run_traced(saved, tmp_path, "node", "-e", NODE) == [links, True]


@pytest.mark.clients
def test_a_program_that_reads_proxy_variables_searches(saved, tmp_path, links):
    reply = run_traced(saved, tmp_path, "sh", "-c", CURL)
    assert [hit["url"] for hit in reply["results"]] == links
