/* Begins the view: of the recording in the page, or of the session whose server the page came from. */
'use strict';

const RUNS = ['continue', 'reverseContinue', 'next', 'stepIn', 'stepOut', 'stepBack', 'wavetrap/goto'];

/** Requests go as POST, answers and events come as a stream of events of the server. */
class ServerTransport {
    constructor() {
        /* Other pages of the same session have other numbers. */
        this.seq = crypto.getRandomValues(new Uint32Array(1))[0] * 1024;
        this.waiting = new Map();
        this.onEvent = () => {};
        this.stream = new EventSource('events');
        this.open = new Promise((resolve) => this.stream.addEventListener('open', resolve));
        this.stream.addEventListener('message', (event) => this.take(JSON.parse(event.data)));
        this.stream.addEventListener('error', () => this.onEvent('terminated', {}));
    }

    take(message) {
        if (message.type === 'event') {
            this.onEvent(message.event, message.body || {});
            return;
        }
        if (message.success && RUNS.includes(message.command))
            this.onEvent('continued', {});
        const asked = this.waiting.get(message.request_seq);
        this.waiting.delete(message.request_seq);
        if (asked && message.success)
            asked.resolve(message.body || {});
        else if (asked)
            asked.reject(new Error(message.message));
    }

    async request(command, args) {
        await this.open;
        const seq = this.seq++;
        const answer = new Promise((resolve, reject) => this.waiting.set(seq, { resolve, reject }));
        const sent = await fetch('message', { method: 'POST', body: JSON.stringify({ seq, type: 'request', command, arguments: args }) });
        if (!sent.ok)
            throw new Error(await sent.text());
        return answer;
    }
}

/** In an editor the extension has the session: requests and answers are messages to and from it. */
class EditorTransport {
    constructor(editor) {
        this.editor = editor;
        this.number = 0;
        this.waiting = new Map();
        this.onEvent = () => {};
        window.addEventListener('message', ({ data }) => this.take(data));
    }

    take(message) {
        if (message.event) {
            this.onEvent(message.event, message.body || {});
            return;
        }
        const asked = this.waiting.get(message.number);
        this.waiting.delete(message.number);
        if (asked && message.error === undefined)
            asked.resolve(message.body || {});
        else if (asked)
            asked.reject(new Error(message.error));
    }

    request(command, args) {
        const number = ++this.number;
        this.editor.postMessage({ number, command, arguments: args });
        return new Promise((resolve, reject) => this.waiting.set(number, { resolve, reject }));
    }
}

/** The recording in the page: JSON, packed and compressed, as base64. */
async function recordingOf(text) {
    return unpacked(await new Response(new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream('deflate'))).json());
}

const packed = document.getElementById('recording').textContent;
if (packed)
    recordingOf(packed).then((body) => window.view = new View(document.body, new Recorded(body)),
                             (error) => document.body.append(`This page cannot be unpacked: ${error.message}`));
else
    window.view = new View(document.body, new Live(window.acquireVsCodeApi ? new EditorTransport(window.acquireVsCodeApi()) : new ServerTransport()));
