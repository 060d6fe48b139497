/* The page around the grid: time, expressions, what is known of the selected lane, divergence, source. Its source of data is a recording
 * (Recorded) or a session (Live). */
'use strict';

const FAMILIES = { vortex: 'Vortex', gcn: 'an AMD GPU', gen9: 'Gen9', sm: 'an SM' };
const WAYS = { core: 'by core', group: 'by work-group' };
const THOUSANDS = new Intl.NumberFormat('en');

/** A recorded run: nothing is asked of anybody. */
class Recorded {
    constructor(body) {
        this.body = body;
        this.isLive = false;
    }

    async sourceText(path) {
        return this.body.sources[path] || null;
    }
}

/** A session, by requests of the Debug Adapter Protocol: @p transport has request(command, arguments), a promise of the answer's body, and
 * calls onEvent(event, body). */
class Live {
    constructor(transport) {
        this.transport = transport;
        this.isLive = true;
        this.expressions = [];
        this.images = [];
        this.sources = new Map();
    }

    grid() {
        return this.transport.request('wavetrap/grid', { expressions: this.expressions, images: this.images });
    }

    async sourceText(path) {
        if (!this.sources.has(path))
            this.sources.set(path, this.transport.request('source', { source: { path }, sourceReference: 0 })
                .then((body) => body.content, () => null));
        return this.sources.get(path);
    }
}

/** The theme of the editor whose web view this is; null: it is in none. */
function editorTheme() {
    const has = (name) => document.body.classList.contains(`vscode-${name}`);
    return has('high-contrast') ? 'contrast' : has('dark') ? 'dark' : has('light') ? 'light' : null;
}

class View {
    constructor(root, source) {
        this.source = source;
        this.frame = 0;
        this.timer = null;
        this.trails = [];
        this.unfolded = new Set(); /* turns of loops in trails */
        this.settings = new URLSearchParams(location.hash.slice(1));
        this.build(root);
        if (source.isLive)
            this.beginLive();
        else
            this.take(source.body, this.settings.get('frame'));
    }

    // ---- the page ----

    build(root) {
        const view = root.appendChild(element('main', 'view'));
        const header = view.appendChild(element('header'));
        header.appendChild(element('h1', '', 'wavetrap'));
        this.about = header.appendChild(element('span', 'about'));
        header.appendChild(element('span', 'spring'));
        this.runs = header.appendChild(element('span', 'runs'));
        this.way = this.choice(header, 'Rows', WAYS, () => this.show());
        this.kind = this.choice(header, 'Cells', { state: 'state', text: 'values', map: 'colour map' }, () => this.show());
        this.expression = this.choice(header, 'Value', {}, () => this.show());
        if (this.source.isLive)
            this.buildAsk(header);
        this.theme = this.choice(header, 'Theme', { auto: 'as the system', light: 'light', dark: 'dark', contrast: 'high contrast' }, () => this.setTheme());
        this.tourButton = this.button(header, '?', 'What this page shows', () => this.tour(0));
        this.buildTime(view);
        this.box = view.appendChild(element('section', 'grid'));
        this.box.tabIndex = 0;
        this.box.setAttribute('role', 'application');
        this.box.setAttribute('aria-label', 'The grid of lanes: arrow keys go from lane to lane');
        this.side = view.appendChild(element('aside'));
        this.found = this.side.appendChild(element('section'));
        this.lane = this.side.appendChild(element('section'));
        this.tree = this.side.appendChild(element('section'));
        this.images = new Images(this.side.appendChild(element('section')));
        this.crowd = this.side.appendChild(element('section'));
        this.code = this.side.appendChild(element('section', 'code'));
        this.legend = view.appendChild(element('footer'));
        this.tip = root.appendChild(element('div', 'tip'));
        this.tip.hidden = true;
        this.said = root.appendChild(element('div', 'said'));
        this.said.setAttribute('aria-live', 'polite');
        this.grid = new Grid(this.box, { select: (row, lane) => this.select(row, lane), hover: (found, x, y) => this.hover(found, x, y) });
        for (const name of ['way', 'kind', 'theme'])
            if (this.settings.get(name))
                this[name].value = this.settings.get(name);
        this.setTheme();
        new MutationObserver(() => this.setTheme()).observe(document.body, { attributes: true, attributeFilter: ['class'] });
        matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.show());
        addEventListener('beforeprint', () => this.layOut(true));
        addEventListener('afterprint', () => this.layOut(false));
    }

    /** A list to choose from, after its label. */
    choice(where, label, options, changed) {
        const box = where.appendChild(element('label', 'choice', label)), made = element('select');
        for (const [value, text] of Object.entries(options))
            made.appendChild(new Option(text, value));
        made.addEventListener('change', changed);
        box.appendChild(made);
        return made;
    }

    button(where, text, title, pressed) {
        const made = where.appendChild(element('button', '', text));
        made.title = title;
        made.setAttribute('aria-label', title);
        made.addEventListener('click', pressed);
        return made;
    }

    buildTime(view) {
        const time = this.timeBar = view.appendChild(element('div', 'time'));
        this.button(time, '|◀', 'To the beginning', () => this.seek(0));
        this.playBack = this.button(time, '◀', 'Play backwards', () => this.play(-1));
        this.button(time, '−', 'One step earlier', () => this.step(-1));
        this.slider = time.appendChild(element('input'));
        this.slider.type = 'range';
        this.slider.setAttribute('aria-label', 'Time');
        this.slider.addEventListener('input', () => this.seek(Number(this.slider.value)));
        this.button(time, '+', 'One step later', () => this.step(1));
        this.playOn = this.button(time, '▶', 'Play', () => this.play(1));
        this.button(time, '▶|', 'To the end', () => this.seek(Number(this.slider.max)));
        this.clock = time.appendChild(element('output'));
    }

    buildAsk(header) {
        this.ask = header.appendChild(element('input'));
        this.ask.placeholder = 'show expression…';
        this.ask.title = 'An expression in each lane; or memory as a picture, as in picture:64x24:u8';
        this.ask.setAttribute('aria-label', this.ask.title);
        this.ask.addEventListener('keydown', (event) => {
            if (event.key === 'Enter' && this.ask.value.trim())
                this.addExpression(this.ask.value.trim());
        });
    }

    setTheme() {
        const theme = this.theme.value === 'auto' ? editorTheme() : this.theme.value;
        if (theme)
            document.documentElement.dataset.theme = theme;
        else
            delete document.documentElement.dataset.theme;
        if (this.model)
            this.show();
    }

    /** For paper: light, as wide as a sheet, without what is pressed. The grid is drawn, so that it has to be drawn again. */
    layOut(forPaper) {
        document.documentElement.toggleAttribute('data-paper', forPaper);
        this.listed = null;
        this.found.querySelectorAll('details').forEach((one) => one.open = one.open || forPaper);
        this.show();
        const row = this.selectedRow();
        if (row)
            this.grid.reveal(row);
    }

    // ---- data ----

    /** Takes an answer, and shows one of its frames; null: the one at which a recording opens. */
    take(body, frame) {
        const first = !this.model;
        this.model = new Model(body);
        this.frame = Math.min(Math.max(Number(frame ?? this.model.firstFrame()), 0), body.frames.length - 1);
        this.about.textContent = `${(body.program || '').split('/').pop()} on ${FAMILIES[body.family] || body.family}`;
        document.title = `${(body.program || '').split('/').pop()} · wavetrap`;
        const chosen = this.expression.value;
        this.expression.replaceChildren(...body.expressions.map((text, i) => new Option(text, i)));
        this.expression.value = chosen || (body.expressions.length ? '0' : '');
        this.expression.parentElement.hidden = !body.expressions.length;
        if (this.source.isLive) {
            this.timeBar.hidden = body.start === undefined;
            this.slider.min = body.start;
            this.slider.max = body.end;
        } else {
            this.slider.min = 0;
            this.slider.max = body.frames.length - 1;
        }
        if (first && !this.settings.get('way') && body.waves.some((wave) => wave.dispatch !== undefined))
            this.way.value = 'group';
        if (first && !this.source.isLive && frame === null)
            this.openFinding();
        for (const one of [this.source.isLive && body.selected, this.model.firstLane(this.frame)])
            if (one && !this.grid.selected)
                this.selectWave(one.wave, one.lane);
        this.show();
        const row = this.selectedRow();
        if (row)
            this.grid.reveal(row);
    }

    selectWave(id, lane) {
        const wave = this.model.wavesAt(this.frame).find((one) => one.id === id);
        if (wave)
            this.grid.selected = { key: this.way.value === 'core' ? slotKey(wave) : workKey(wave), lane };
    }

    /** The row of the selected lane, with the wave that is there now. */
    selectedRow() {
        return this.grid.selected && this.layout.find((row) => row.key === this.grid.selected.key) || null;
    }

    show() {
        const expression = Number(this.expression.value || 0);
        const has = this.model.body.expressions.length > 0, kind = has ? this.kind.value : 'state';
        this.kind.querySelectorAll('option').forEach((option) => option.disabled = !has && option.value !== 'state');
        this.layout = this.model.layout(this.frame, this.way.value);
        if (this.grid.selected && !this.selectedRow())
            this.translateSelection();
        this.range = kind === 'map' ? this.model.rangeOf(expression) : null;
        this.grid.way = this.way.value;
        this.showFindings();
        this.grid.show(this.layout, this.model.most, { kind, expression, range: this.range });
        this.grid.follow();
        const frame = this.model.frames[this.frame];
        this.slider.value = this.source.isLive ? frame.time : this.frame;
        this.clock.textContent = frame.time === undefined ? '' : `issue time ${THOUSANDS.format(frame.time)} of ${THOUSANDS.format(this.model.body.end)}`;
        this.slider.setAttribute('aria-valuetext', this.clock.textContent);
        this.showLane();
        this.showLegend(kind);
        this.showCrowd();
        this.images.show(this.model, this.frame, this.source.isLive);
        document.documentElement.dataset.frame = this.frame;
    }

    /** Rows have other keys when they are grouped otherwise. */
    translateSelection() {
        const { key, lane } = this.grid.selected;
        for (const wave of this.model.body.waves)
            if (slotKey(wave) === key || workKey(wave) === key) {
                this.grid.selected = { key: this.way.value === 'core' ? slotKey(wave) : workKey(wave), lane };
                if (this.selectedRow())
                    return;
            }
    }

    // ---- the tour ----

    /** Shows step @p at of what the page is made of, beside the part that it is about. */
    tour(at) {
        const unit = this.model.body.lane, wave = this.model.body.wave;
        const steps = [[this.box, `Each row is a ${wave}, each cell one of its ${unit}s. Full cells run the ${wave}'s next instruction.`],
                       [this.legend, `The other shapes: masked off by a branch, waiting at a barrier, faulted, not begun, ended.`],
                       [this.timeBar, 'The slider goes through the recorded run, forwards and backwards; ▶ plays it.'],
                       [this.lane, `A click on a cell selects its ${unit}: where it is, what its values are, where it continues.`],
                       [this.way.parentElement, `By work-group or by core; Cells shows states, values, or values as colours.`]];
        if (this.tourBox)
            this.tourBox.remove();
        document.querySelectorAll('.toured').forEach((one) => one.classList.remove('toured'));
        this.tourBox = null;
        if (at >= steps.length) {
            this.tourButton.focus();
            return;
        }
        const [part, text] = steps[at], box = this.tourBox = document.body.appendChild(element('div', 'tour'));
        part.classList.add('toured');
        box.setAttribute('role', 'dialog');
        box.setAttribute('aria-label', `Step ${at + 1} of ${steps.length}`);
        box.append(element('p', '', text));
        this.button(box, 'Close', 'Close', () => this.tour(steps.length));
        this.button(box, `${at + 1} of ${steps.length} ▸`, 'Next', () => this.tour(at + 1)).focus();
        box.addEventListener('keydown', (event) => event.key === 'Escape' && this.tour(steps.length));
        const place = part.getBoundingClientRect();
        box.style.left = `${Math.max(8, Math.min(place.left + 16, innerWidth - box.offsetWidth - 8))}px`;
        box.style.top = `${place.bottom + 8 + box.offsetHeight < innerHeight ? place.bottom + 8 : place.top - 8 - box.offsetHeight > 0 ? place.top - 8 - box.offsetHeight : place.top + 40}px`;
    }

    // ---- time ----

    seek(value) {
        const low = Number(this.slider.min), high = Number(this.slider.max);
        const to = Math.min(Math.max(value, low), high);
        if (this.source.isLive)
            return this.goTo(to);
        this.frame = to;
        this.show();
        return null;
    }

    /** How far a step goes: a frame, or a part of the recorded run. */
    pace() {
        return this.source.isLive ? Math.max(1, Math.round((this.slider.max - this.slider.min) / 200)) : 1;
    }

    step(way) {
        this.stop();
        this.seek(this.source.isLive ? Number(this.slider.value) + way : this.frame + way);
    }

    /** Plays to @p end; undefined: to the end of the run. */
    play(way, end) {
        const again = this.timer && this.timer.way !== way;
        if (this.timer && !again)
            return this.stop();
        this.stop();
        if (end === undefined && Number(this.slider.value) === Number(way > 0 ? this.slider.max : this.slider.min))
            this.seek(Number(way > 0 ? this.slider.min : this.slider.max));
        const id = setInterval(() => {
            const next = Number(this.slider.value) + way * this.pace();
            if (this.going)
                return;
            if (next < Number(this.slider.min) || next > (end ?? Number(this.slider.max)))
                this.stop();
            else
                this.seek(next);
        }, 80);
        this.timer = { id, way };
        (way > 0 ? this.playOn : this.playBack).setAttribute('aria-pressed', 'true');
        return null;
    }

    stop() {
        if (this.timer)
            clearInterval(this.timer.id);
        this.timer = this.walks = null;
        this.playOn.setAttribute('aria-pressed', 'false');
        this.playBack.setAttribute('aria-pressed', 'false');
    }

    // ---- a lane ----

    select(row, lane) {
        this.showLane();
        this.said.textContent = this.describe(row, lane).join('. ');
        if (this.source.isLive && row.wave)
            this.source.transport.request('wavetrap/select', { wave: row.wave.id, lane }).catch((error) => this.complain(error));
    }

    /** What is known of a lane, a line each. */
    describe(row, lane) {
        const wave = row.wave;
        if (!wave)
            return [`${row.label}: ${STATE_NAMES[row.state]}`];
        const state = statesOf(wave)[lane], pc = pcOf(wave, lane), lines = [...this.model.coordinates(wave, lane), STATE_NAMES[state]];
        if (pc)
            lines.push(this.model.placeText(pc));
        if (wave.wait)
            lines.push(`waits: ${wave.wait}`);
        if (state === FAULTED && wave.fault)
            lines.push(wave.fault);
        this.model.body.expressions.forEach((text, i) => {
            const value = valueOf(wave, i, lane);
            lines.push(`${text} = ${value === null ? whyNot(wave, i) || '?' : value}`);
        });
        return lines;
    }

    hover(found, x, y) {
        this.tip.hidden = !found;
        if (!found)
            return;
        this.tip.textContent = this.describe(found.row, found.lane).join('\n');
        this.tip.style.left = `${Math.min(x + 14, innerWidth - this.tip.offsetWidth - 8)}px`;
        this.tip.style.top = `${y + 18 + this.tip.offsetHeight > innerHeight ? y - this.tip.offsetHeight - 8 : y + 18}px`;
    }

    showLane() {
        const row = this.selectedRow();
        this.lane.replaceChildren();
        this.tree.replaceChildren();
        if (!row) {
            this.lane.append(element('h2', '', 'No lane is selected'), element('div', 'about', 'Click a cell, or move with the arrow keys.'));
            this.showSource(null);
            return;
        }
        const lane = Math.min(this.grid.selected.lane, row.lanes - 1), wave = row.wave, list = element('dl');
        const add = (name, text, className) => list.append(element('dt', '', name), element('dd', className || '', text));
        this.lane.append(element('h2', '', `Selected ${this.model.body.lane}`), list);
        if (!wave) {
            add('where', this.model.coordinates(row.sample, lane).join('\n'));
            add('state', STATE_NAMES[row.state]);
            this.showSource(null);
            return;
        }
        const state = statesOf(wave)[lane], pc = pcOf(wave, lane), place = pc ? this.model.places[pc] : null;
        add('where', this.model.coordinates(wave, lane).join('; '));
        add('state', STATE_NAMES[state], state === FAULTED ? 'bad' : '');
        if (wave.wait)
            add('waits', wave.wait);
        if (wave.fault)
            add('fault', wave.fault, 'bad');
        if (place)
            add(state === MASKED ? 'continues at' : 'at', this.model.placeText(pc));
        if (pc)
            add('pc', pc + (place && place.instruction ? `  ${place.instruction}` : ''), 'mono');
        this.model.body.expressions.forEach((text, i) => {
            add(text, valueOf(wave, i, lane) ?? whyNot(wave, i) ?? '?', 'mono');
            if (this.source.isLive && this.model.body.start !== undefined)
                this.addAsks(list.lastChild, text);
        });
        this.showTree(wave);
        this.showSource(place);
    }

    /** Buttons that ask how a value came to be. */
    addAsks(where, expression) {
        this.button(where, 'who wrote', `Who wrote ${expression}`, () => this.askTrail(expression, true)).className = 'ask';
        this.button(where, 'where from', `Where ${expression} comes from`, () => this.askTrail(expression, false)).className = 'ask';
    }

    // ---- divergence ----

    showTree(wave) {
        this.tree.append(element('h2', '', `Divergence of this ${this.model.body.wave}`));
        const list = this.tree.appendChild(element('ul', 'tree'));
        list.setAttribute('role', 'tree');
        this.addNode(list, divergenceOf(wave), true);
    }

    addNode(list, node, isRoot) {
        const item = list.appendChild(element('li', node.enabled ? 'enabled' : ''));
        item.setAttribute('role', 'treeitem');
        item.append(this.strip(node));
        const place = node.pc ? this.model.placeText(node.pc) : '', one = node.lanes.filter((on) => on).length === 1;
        const words = node.enabled ? `${one ? 'runs' : 'run'} at ${place}` : node.pc ? `${one ? 'waits, and continues' : 'wait, and continue'} at ${place}`
            : node.children.length ? '' : one ? 'is masked off' : 'are masked off';
        item.append(`${isRoot && node.children.length ? 'all ' : ''}${this.model.body.lane}${one ? '' : 's'} ${lanesText(node.lanes)} ${words}`);
        if (!node.children.length)
            return;
        const inner = item.appendChild(element('ul'));
        inner.setAttribute('role', 'group');
        for (const child of node.children)
            this.addNode(inner, child, false);
    }

    /** The lanes of a node as a strip of pixels. */
    strip(node) {
        const canvas = element('canvas', 'lanes'), count = node.lanes.length, style = getComputedStyle(this.box);
        canvas.width = count;
        canvas.height = 1;
        canvas.style.width = `${Math.min(count * 4, 128)}px`;
        const c = canvas.getContext('2d');
        node.lanes.forEach((on, i) => {
            c.fillStyle = style.getPropertyValue(on ? node.enabled || node.children.length ? '--running' : '--dim' : '--paper');
            c.fillRect(i, 0, 1, 1);
        });
        return canvas;
    }

    // ---- source ----

    async showSource(place) {
        if (!place || !place.line || place.foreign)
            place = this.placeOfFinding() || place;
        const wanted = this.wantedSource = place && place.line ? place : null, text = wanted && await this.source.sourceText(wanted.path);
        if (wanted !== this.wantedSource)
            return;
        if (!text) {
            this.code.replaceChildren(...wanted ? [element('h2', '', wanted.path.split('/').pop()), element('div', 'about', 'Its text is not here.')] : []);
            this.listed = null;
            return;
        }
        const here = new Map(this.model.crowd(this.frame).filter((one) => one.path === wanted.path).map((one) => [one.line, one]));
        const most = Math.max(1, ...[...here.values()].map((one) => one.running + one.waiting));
        const counts = this.model.countsAt(this.frame, wanted.path);
        const hottest = Math.max(1, ...(counts ? [...counts.values()].map((one) => one.issues) : []));
        const listed = JSON.stringify([wanted.path, !counts, this.chosen, this.accesses().map((one) => [one.path, one.line, one.mark])]);
        if (this.listed !== listed) /* else only bars and numbers change */
            this.list(wanted.path, text, Boolean(counts));
        this.listed = listed;
        this.lines.forEach(({ bar, heat }, i) => {
            this.fillBar(bar, here.get(i + 1), most);
            if (heat)
                this.fillHeat(heat, counts.get(i + 1), hottest);
        });
        this.code.querySelectorAll('.here').forEach((one) => one.classList.remove('here'));
        const current = this.lines[wanted.line - 1], box = this.code.querySelector('.source');
        if (!current)
            return;
        current.row.classList.add('here');
        box.scrollTop = current.row.offsetTop - box.clientHeight / 2;
    }

    /** The lines of a file, each a row with the marks of accesses. */
    list(path, text, isCounted) {
        this.code.replaceChildren(element('h2', '', path.split('/').pop()));
        const box = this.code.appendChild(element('div', 'source')), table = box.appendChild(element('table'));
        this.lines = text.replace(/\n$/, '').split('\n').map((line, i) => {
            const row = table.appendChild(element('tr', 'mono')), bar = row.appendChild(element('td', 'bar'));
            this.markAccess(row, path, i + 1);
            const heat = isCounted ? row.appendChild(element('td', 'heat')) : null;
            row.append(element('td', 'number', i + 1), element('td', '', line));
            return { row, bar, heat };
        });
        if (this.chosen < 0)
            this.drawArrows(box, path);
    }

    /** How many lanes are at a line; the blue part of them is not masked off. */
    fillBar(bar, crowd, most) {
        const total = crowd ? crowd.running + crowd.waiting : 0, shown = crowd ? `${total} ${crowd.running} ${most}` : '';
        if (bar.shown === shown || (!crowd && !bar.firstChild))
            return;
        bar.shown = shown;
        bar.replaceChildren();
        bar.title = crowd ? `${total} ${this.model.body.lane}s here, ${crowd.running} of them not masked off` : '';
        if (!crowd)
            return;
        const fill = bar.appendChild(element('i'));
        fill.style.width = `${100 * total / most}%`;
        fill.style.background = `linear-gradient(90deg, var(--running) ${100 * crowd.running / total}%, var(--dim) 0)`;
        bar.append(element('b', '', total));
    }

    /** A cell of the heat map: how many instructions of the line have issued. */
    fillHeat(cell, count, hottest) {
        const share = count ? Math.log1p(count.issues) / Math.log1p(hottest) : 0, text = count ? THOUSANDS.format(count.issues) : '';
        if (cell.textContent !== text)
            cell.textContent = text;
        cell.style.background = count ? rampColour(share) : '';
        cell.style.color = share > .6 ? '#000' : '#fff';
        cell.title = !count ? '' : `${count.issues} instructions have issued here, ${Math.round(100 * count.enabled / count.lanes)} % of their lanes enabled`
            + (count.transactions ? `; ${count.transactions} memory transactions` : '');
    }

    showCrowd() {
        const list = this.model.crowd(this.frame);
        this.crowd.replaceChildren(element('h2', '', `Where ${this.model.body.lane}s are`));
        const table = element('dl');
        for (const one of list.slice(0, 6))
            table.append(element('dt', 'mono', one.running + one.waiting), element('dd', '', one.text + (one.waiting ? ` (${one.waiting} masked off)` : '')));
        if (list.length > 6)
            table.append(element('dt', '', ''), element('dd', 'about', `${list.length - 6} more lines`));
        this.crowd.append(list.length ? table : element('div', 'about', 'No wave is there.'));
    }

    showLegend(kind) {
        const style = this.grid.style(), shown = JSON.stringify([kind, this.range, style]);
        if (shown === this.legendShown)
            return;
        this.legendShown = shown;
        this.legend.replaceChildren();
        for (const state of [RUNNING, MASKED, BARRIER, FAULTED, NOT_BEGUN, ENDED]) {
            const key = this.legend.appendChild(element('span', 'key')), canvas = key.appendChild(document.createElement('canvas'));
            canvas.width = canvas.height = 16 * (window.devicePixelRatio || 1);
            const c = canvas.getContext('2d');
            c.scale(window.devicePixelRatio || 1, window.devicePixelRatio || 1);
            if (state < NOT_BEGUN) {
                c.fillStyle = style.state[state];
                c.fillRect(1, 0, 14, 16);
            }
            this.grid.mark(c, style, state, 1, 0, 14, 16, false);
            key.append(STATE_NAMES[state]);
        }
        if (kind !== 'map' || !this.range)
            return;
        const key = this.legend.appendChild(element('span', 'key')), ramp = element('span', 'ramp');
        ramp.style.background = `linear-gradient(90deg, ${[0, .25, .5, .75, 1].map(rampColour).join(',')})`;
        key.append(String(this.range[0]), ramp, `${this.range[1]}${this.range.isLogarithmic ? ' (logarithmic)' : ''}`);
    }
}
