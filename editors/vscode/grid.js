// The grid of lanes in an editor's panel: the page of `wavetrap view`, whose requests go to the debug session.
const fs = require('fs');
const path = require('path');
const vscode = require('vscode');

const SCRIPTS = ['model.js', 'grid.js', 'image.js', 'view.js', 'live.js', 'start.js'];
const TOLD = ['stopped', 'continued', 'terminated', 'invalidated', 'wavetrap/selected'];

/** The folder of the page's parts: in a package `media`, beside the sources theirs. */
function pageFolder() {
    const packed = path.join(__dirname, 'media');
    return fs.existsSync(packed) ? packed : path.join(__dirname, '..', '..', 'src', 'frontend', 'view', 'page');
}

function pageText() {
    const read = (name) => fs.readFileSync(path.join(pageFolder(), name), 'utf8');
    const parts = { STYLE: read('style.css'), SCRIPT: SCRIPTS.map(read).join('\n'), RECORDING: 'null' };
    return read('page.html').replace(/@(STYLE|SCRIPT|RECORDING)@/g, (whole, name) => parts[name]);
}

/** Panels, one for each session at most. */
class Grids {
    constructor() {
        this.panels = new Map();
    }

    show(session) {
        if (!session || session.type !== 'wavetrap') {
            vscode.window.showInformationMessage('wavetrap: no session of this debugger is active.');
            return;
        }
        const known = this.panels.get(session.id);
        if (known) {
            known.reveal();
            return;
        }
        const panel = vscode.window.createWebviewPanel('wavetrap.grid', `Lanes: ${session.name}`, vscode.ViewColumn.Beside,
                                                       { enableScripts: true, retainContextWhenHidden: true });
        this.panels.set(session.id, panel);
        panel.onDidDispose(() => this.panels.delete(session.id));
        panel.webview.onDidReceiveMessage((message) => this.ask(session, panel, message));
        panel.webview.html = pageText();
    }

    async ask(session, panel, { number, command, arguments: args }) {
        try {
            panel.webview.postMessage({ number, body: await session.customRequest(command, args) });
        } catch (error) {
            panel.webview.postMessage({ number, error: error.message });
        }
    }

    /** Something that the session's adapter has said. */
    tell(session, message) {
        const panel = this.panels.get(session.id);
        if (panel && message.type === 'event' && TOLD.includes(message.event))
            panel.webview.postMessage({ event: message.event, body: message.body });
    }
}

module.exports = { Grids, pageText };
