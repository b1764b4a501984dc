// Node loads this at its start, in the command that `worldsmith exec` runs: each TCP connection beyond this machine
// goes to the gateway, and no name is resolved for it. `fetch`, `http`, `https` and `tls` all connect this way.
"use strict";
const net = require("net");

const port = Number(process.env.WORLDSMITH_GATEWAY_PORT);
const allowed = new Set((process.env.WORLDSMITH_ALLOWED_HOSTS || "").split(","));
const connect = net.Socket.prototype.connect;

function passes(host) {
  const name = String(host || "localhost").toLowerCase().replace(/^\[|\]$|\.$/g, "");
  if (net.isIP(name) && /^(::1?|(::ffff:)?(127\..*|0\.0\.0\.0))$/.test(name)) return true;
  return name === "localhost" || name.endsWith(".localhost") || allowed.has(name);
}

if (port) {
  net.Socket.prototype.connect = function (...args) {
    // Either what users write, or the normalized list that Node's own callers pass on.
    const list = Array.isArray(args[0]) ? args[0] : args;
    const named = typeof list[0] === "object" && list[0] !== null;
    const path = named ? list[0].path : typeof list[0] === "string" && isNaN(list[0]) ? list[0] : undefined;
    const host = named ? list[0].host : typeof list[1] === "string" ? list[1] : undefined;
    if (path || passes(host)) return connect.apply(this, args);
    const options = { ...(named ? list[0] : {}), host: "127.0.0.1", port, family: 4, lookup: undefined };
    const listener = list.find((item) => typeof item === "function");
    return connect.call(this, options, ...(listener ? [listener] : []));
  };
}
