/* Findings of --check, and trails: how a value came to be. Of the chosen one its places, as cells that lines or arrows join, as lines of source, and as
 * times to go to. */
'use strict';

Object.assign(View.prototype, {
    /** Findings have numbers from 1 on, trails from -1 down. */
    stories() {
        const asked = this.model.body.trail && !this.trails.includes(this.model.body.trail) ? [this.model.body.trail] : [];
        this.trails.push(...asked);
        return [...this.model.body.findings || [], ...this.trails.map((trail, i) => ({ ...trail, number: -1 - i }))];
    },

    /** The chosen one's places in their order of time. Those that are shown have marks: not the turns of a loop, but where they are unfolded; the last of
     * a trail has the value. */
    places() {
        const story = this.stories().find((one) => one.number === this.chosen);
        const places = story ? [...story.places].sort((a, b) => (a.time ?? Infinity) - (b.time ?? Infinity)) : [];
        const isShown = (one) => one.fold === undefined || this.unfolded.has(this.foldKey(one.fold));
        const all = places.filter(isShown).length;
        let count = 0;
        return places.map((place) => {
            if (!isShown(place))
                return { ...place };
            count++;
            return { ...place, mark: all === 1 ? '!' : this.chosen < 0 && count === all ? '=' : String(count) };
        });
    },

    /** Those that are shown. */
    accesses() {
        return this.places().filter((place) => place.mark);
    },

    foldKey(fold) {
        return `${this.chosen} ${fold}`;
    },

    /** The turns of a loop in a trail, before those that are shown: a button that unfolds them. */
    addFold(fold) {
        const key = this.foldKey(fold), isOpen = this.unfolded.has(key), text = this.stories().find((one) => one.number === this.chosen).folds[fold];
        const button = this.button(this.found, `${isOpen ? '▾' : '▸'} ${text}`, `${isOpen ? 'Fold' : 'Unfold'} ${text}`, () => {
            this.unfolded[isOpen ? 'delete' : 'add'](key);
            this.show();
            const again = [...this.found.querySelectorAll('.fold')].find((one) => one.dataset.fold === key);
            if (again)
                again.focus();
        });
        button.className = 'fold';
        button.dataset.fold = key;
        button.setAttribute('aria-expanded', String(isOpen));
    },

    /** Asks how a value of the selected lane came to be: by the stores to it, or by all that it was made of. */
    async askTrail(expression, stores) {
        try {
            this.trails.push(await this.source.transport.request('wavetrap/trail', { expression, stores }));
            this.chosen = -this.trails.length;
            this.show();
        } catch (error) {
            this.complain(error);
        }
    },

    /** A recording that is about a finding opens at its last access, of a trail at the last store; others at the first finding, but for those that end
     * in a fault. Returns whether there is one. */
    openFinding() {
        const first = this.model.isFaulted() ? null : this.stories().find((one) => one.places.some((place) => this.isReached(place)));
        this.chosen = this.model.body.finding ?? (this.model.body.trail ? -1 : first ? first.number : null);
        const last = this.accesses().filter((one) => one.mark !== '=' && this.isReached(one)).pop();
        if (last)
            this.goToAccess(last);
        return Boolean(last);
    },

    /** Goes to the time of an access, and selects its lane. */
    goToAccess(access) {
        this.stop();
        return this.showAccess(access);
    },

    async showAccess(access) {
        const lane = Math.max(0, lanesOf(access.lanes, 128).indexOf(true));
        if (this.source.isLive) {
            await this.goTo(access.time);
            await this.send('wavetrap/select', { wave: access.wave, lane });
            return this.refresh();
        }
        this.frame = this.model.frameAt(access.time);
        this.selectWave(access.wave, lane);
        this.show();
        const row = this.selectedRow();
        if (row)
            this.grid.reveal(row);
        return null;
    },

    isReached(access) {
        return access.wave !== undefined && (this.source.isLive ? access.time >= this.model.body.start : this.model.frameAt(access.time) !== null);
    },

    showFindings() {
        const list = this.stories(), places = this.places(), accesses = places.filter((one) => one.mark), now = this.model.frames[this.frame].time;
        this.grid.linked = accesses.map((one) => ({ mark: one.mark, key: this.rowKeyOf(one), lanes: lanesOf(one.lanes || '', 128), isAhead: one.time > now }));
        this.grid.isTrail = this.chosen < 0;
        this.side.classList.toggle('story', accesses.length > 0);
        const shown = JSON.stringify([list.length, this.chosen, this.model.body.start, [...this.unfolded]]);
        if (shown === this.found.dataset.shown)
            return;
        this.found.dataset.shown = shown;
        this.found.replaceChildren();
        const findings = list.length - this.trails.length;
        for (const finding of list) {
            if (finding.number === 1)
                this.found.append(element('h2', '', `${findings} finding${findings > 1 ? 's' : ''} of --check`));
            if (finding.number === -1)
                this.found.append(element('h2', '', 'How a value came to be'));
            const [title, ...rest] = finding.text.trim().split('\n'), [, missing] = title.match(/: race [^:]*: (.*)/) || [];
            const button = this.button(this.found, (findings > 1 && finding.number > 0 ? `${finding.number}  ` : '') + title.replace(/^wavetrap: /, ''), 'Show this finding', () => {
                this.chosen = this.chosen === finding.number ? null : finding.number;
                this.show();
            });
            button.className = 'finding';
            button.setAttribute('aria-pressed', String(this.chosen === finding.number));
            if (this.chosen !== finding.number)
                continue;
            places.forEach((one, i) => {
                if (i && missing)
                    this.found.append(element('div', 'missing', `✕ ${missing}`));
                if (one.fold !== undefined && !(i && places[i - 1].fold === one.fold))
                    this.addFold(one.fold);
                if (one.mark)
                    this.addAccess(one);
            });
            this.addPlay(accesses.filter((one) => this.isReached(one)));
            if (!rest.length)
                continue;
            const whole = this.found.appendChild(element('details'));
            whole.append(element('summary', '', 'The whole report'), element('pre', '', rest.join('\n')));
        }
    },

    rowKeyOf(access) {
        const wave = this.model.body.waves.find((one) => one.id === access.wave);
        return wave ? (this.way.value === 'core' ? slotKey(wave) : workKey(wave)) : null;
    },

    addAccess(access) {
        const where = (access.mark === '=' ? 'the value now: ' : access.access ? `${access.access}: ` : '') + (access.function || '') + (access.line ? ` ${access.path.split('/').pop()}:${access.line}` : '') || 'an unknown place';
        const box = this.found.appendChild(element('div', 'access'));
        box.append(element('b', this.chosen < 0 ? 'mark trail' : 'mark', access.mark));
        if (this.isReached(access))
            this.button(box, where, `To access ${access.mark}`, () => this.goToAccess(access));
        else
            box.append(element('span', '', where));
        box.append(element('span', 'about', access.wave === undefined ? 'by the host'
            : this.isReached(access) ? `issue time ${THOUSANDS.format(access.time)}` : 'in another launch'));
        const text = this.source.isLive ? null : this.model.body.sources[access.path];
        if (text && access.mark !== '=')
            box.append(element('code', '', (text.split('\n')[access.line - 1] || '').trim()));
    },

    /** A button that plays from the first access to the last one; a session, which travels for it, goes from access to access. */
    addPlay(accesses) {
        if (accesses.length < 2)
            return;
        const first = accesses[0], last = accesses[accesses.length - 1];
        this.button(this.found, `▶ from ${first.mark} to ${last.mark}`, 'Play from the first access to the last one', () => {
            if (this.source.isLive)
                return this.walk(accesses);
            this.goToAccess(first);
            return this.play(1, this.model.frameAt(last.time));
        });
    },

    async walk(accesses) {
        this.stop();
        const walk = this.walks = {};
        for (const access of accesses) {
            if (this.walks !== walk)
                return;
            await this.showAccess(access);
            await new Promise((done) => setTimeout(done, 800));
        }
    },

    /** Arrows between the lines of source that a trail goes through, beside the lines' marks. */
    drawArrows(box, path) {
        const rows = [...box.querySelectorAll('tr')], lines = this.accesses().filter((one) => one.path === path && rows[one.line - 1]);
        const middle = (one) => rows[one.line - 1].offsetTop + rows[one.line - 1].offsetHeight / 2;
        const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
        svg.setAttribute('class', 'arrows');
        svg.setAttribute('height', box.scrollHeight);
        lines.slice(1).forEach((to, i) => {
            const from = lines[i], y0 = middle(from), y1 = middle(to), bulge = Math.max(2, 22 - Math.abs(to.line - from.line) * 2);
            if (from.line === to.line)
                return;
            const arrow = svg.appendChild(document.createElementNS('http://www.w3.org/2000/svg', 'path'));
            arrow.setAttribute('d', `M28,${y0} C${bulge},${y0} ${bulge},${y1} 27,${y1} m-6,-3 l6,3 l-6,3`);
        });
        box.append(svg);
    },

    placeOfFinding() {
        return this.accesses().filter((one) => one.line).pop() || null;
    },

    /** Marks a line of source at which an access of the chosen finding is. */
    markAccess(row, path, line) {
        const marks = this.accesses().filter((one) => one.path === path && one.line === line).map((one) => one.mark);
        if (this.chosen)
            row.append(element('td', this.chosen < 0 ? 'mark trail' : 'mark', marksText(marks)));
        if (marks.length)
            row.className += ' accessed';
    },
});
