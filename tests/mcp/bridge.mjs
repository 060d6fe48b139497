// An HTTP server on loopback before a server at stdio: each message that is posted goes to it as a line, its answer back as the response.
// bridge.mjs COMMAND WORD… prints its port. Each initialize begins another server.
import { createServer } from "node:http";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const [command, ...args] = process.argv.slice(2);
const waiting = new Map();
let server;

function begin() {
    server?.stdin.end();
    server = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
    createInterface({ input: server.stdout }).on("line", (line) => {
        const { id } = JSON.parse(line);
        waiting.get(id)?.(line);
        waiting.delete(id);
    });
}

createServer((request, response) => {
    let text = "";
    request.on("data", (part) => (text += part));
    request.on("end", () => {
        if (request.method !== "POST")
            return response.writeHead(405).end();
        const message = JSON.parse(text);
        if (message.method === "initialize")
            begin();
        if (message.id === undefined) {
            server.stdin.write(text + "\n");
            return response.writeHead(202).end();
        }
        waiting.set(message.id, (line) => response.writeHead(200, { "Content-Type": "application/json", "Mcp-Session-Id": "one" }).end(line));
        server.stdin.write(JSON.stringify(message) + "\n");
    });
}).listen(0, "127.0.0.1", function () {
    console.log(this.address().port);
});
