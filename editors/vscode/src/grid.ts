// The grid of lanes in an editor's panel: the page of `wavetrap view`, whose requests go to the debug session.
import * as fs from 'fs';
import * as path from 'path';
import * as vscode from 'vscode';

/** A message of the protocol; of the page's: a request of its own number. */
export interface Message { type: string; event?: string; body?: any }
interface Asked { number: number; command: string; arguments?: unknown }

const SCRIPTS = ['model.js', 'grid.js', 'image.js', 'view.js', 'findings.js', 'live.js', 'start.js'];
const TOLD = ['stopped', 'continued', 'terminated', 'invalidated', 'wavetrap/selected'];

/** The folder of the page's parts: in a package `media`, beside the sources theirs. */
function pageFolder(): string {
    const packed = path.join(__dirname, '..', 'media');
    return fs.existsSync(packed) ? packed : path.join(__dirname, '..', '..', '..', 'src', 'frontend', 'view', 'page');
}

export function pageText(): string {
    const read = (name: string) => fs.readFileSync(path.join(pageFolder(), name), 'utf8');
    const parts: Record<string, string> = { STYLE: read('style.css'), SCRIPT: SCRIPTS.map(read).join('\n'), RECORDING: '' };
    return read('page.html').replace(/@(STYLE|SCRIPT|RECORDING)@/g, (_whole, name: string) => parts[name]);
}

interface Shown { panel: vscode.WebviewPanel; session: vscode.DebugSession; ended: boolean }

/** Panels, one for each session at most. One whose session has ended shows the next session. */
export class Grids {
    private shown: Shown[] = [];

    show(session: vscode.DebugSession | undefined): void {
        if (!session || session.type !== 'wavetrap') {
            vscode.window.showInformationMessage('wavetrap: no session of this debugger is active.');
            return;
        }
        const known = this.of(session) ?? this.follow(session);
        if (known) {
            known.panel.reveal();
            return;
        }
        const panel = vscode.window.createWebviewPanel('wavetrap.grid', `Lanes: ${session.name}`, vscode.ViewColumn.Beside,
                                                       { enableScripts: true, retainContextWhenHidden: true });
        const made = { panel, session, ended: false };
        this.shown.push(made);
        panel.onDidDispose(() => this.shown = this.shown.filter((one) => one !== made));
        panel.webview.onDidReceiveMessage((message: Asked) => this.ask(made.session, panel, message));
        panel.webview.html = pageText();
    }

    private of(session: vscode.DebugSession): Shown | undefined {
        return this.shown.find((one) => one.session.id === session.id);
    }

    /** A session begins: a panel whose session has ended is its, from the beginning. */
    follow(session: vscode.DebugSession): Shown | undefined {
        const free = session.type === 'wavetrap' && !this.of(session) ? this.shown.find((one) => one.ended) : undefined;
        if (free) {
            Object.assign(free, { session, ended: false });
            free.panel.title = `Lanes: ${session.name}`;
            free.panel.webview.html = '';
            free.panel.webview.html = pageText();
        }
        return free;
    }

    end(session: vscode.DebugSession): void {
        const known = this.of(session);
        if (known)
            known.ended = true;
    }

    private async ask(session: vscode.DebugSession, panel: vscode.WebviewPanel, { number, command, arguments: args }: Asked): Promise<void> {
        try {
            panel.webview.postMessage({ number, body: await session.customRequest(command, args) });
        } catch (error) {
            panel.webview.postMessage({ number, error: (error as Error).message });
        }
    }

    /** Something that the session's adapter has said. */
    tell(session: vscode.DebugSession, message: Message): void {
        const panel = this.of(session)?.panel;
        if (panel && message.type === 'event' && TOLD.includes(message.event ?? ''))
            panel.webview.postMessage({ event: message.event, body: message.body });
    }
}
