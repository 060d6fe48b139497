/* The grid itself: rows of waves, a cell for each lane, drawn into a canvas of the size of what is visible. */
'use strict';

const LABEL_WIDTH = 112, HEADING_HEIGHT = 22, HEADER_HEIGHT = 18, CELL = 11, BRACKET = 24;

class Grid {
    /** @p box is the element that scrolls; @p events has select(row, lane), hover(row, lane, x, y). */
    constructor(box, events) {
        this.box = box;
        this.events = events;
        this.space = box.appendChild(element('div', 'space'));
        this.canvas = this.space.appendChild(document.createElement('canvas'));
        this.rows = [];
        this.way = 'core';
        this.paint = { kind: 'state', expression: 0, range: null };
        this.selected = null; /* {key, lane} */
        this.linked = []; /* {key, lanes, mark, isAhead}: cells that a line joins */
        this.isTrail = false; /* they are steps of a trail: arrows join them */
        this.lanes = 1;
        this.cell = CELL;
        box.addEventListener('scroll', () => this.draw());
        box.addEventListener('mousemove', (event) => this.hover(event));
        box.addEventListener('mouseleave', () => events.hover(null));
        box.addEventListener('click', (event) => this.click(event));
        box.addEventListener('keydown', (event) => this.key(event));
        new ResizeObserver(() => this.top && this.show(this.rows, this.lanes, this.paint)).observe(box);
    }

    /** Shows rows of Model.layout(). */
    show(rows, lanes, paint) {
        this.rows = rows;
        this.lanes = lanes;
        this.paint = paint;
        this.cell = this.fitting();
        this.height = paint.kind === 'text' ? 20 : Math.min(Math.max(this.cell, 14), 24);
        if (paint.kind === 'text') {
            let longest = 2;
            for (const row of rows)
                for (let lane = 0; row.wave && lane < row.wave.lanes; lane++)
                    longest = Math.max(longest, shortened(valueOf(row.wave, paint.expression, lane) || '').length);
            this.cell = Math.max(longest * 7 + 10, this.cell);
        }
        this.top = [];
        let y = HEADER_HEIGHT;
        for (const row of rows) {
            this.top.push(y);
            y += row.title !== undefined ? HEADING_HEIGHT : this.height + 2;
        }
        this.bottom = y;
        this.draw();
    }

    /** Few lanes get larger cells. */
    fitting() {
        const bracket = this.linked.length > 1 && !this.isTrail ? BRACKET : 0;
        return Math.min(Math.max(Math.floor((this.box.clientWidth - LABEL_WIDTH - 12 - bracket) / this.lanes), CELL), 32);
    }

    style() {
        const of = getComputedStyle(this.box), colour = (name) => of.getPropertyValue(name).trim();
        return {
            text: colour('--text'), dim: colour('--dim'), line: colour('--line'), paper: colour('--paper'), focus: colour('--focus'),
            state: ['', '--running', '--masked', '--barrier', '--faulted', '--not-begun', '--ended'].map((name) => name && colour(name)),
            contrast: colour('--contrast') === '1',
        };
    }

    draw() {
        const width = this.box.clientWidth, height = this.box.clientHeight, ratio = window.devicePixelRatio || 1;
        this.space.style.width = `${LABEL_WIDTH + this.lanes * this.cell + 8 + (this.linked.length > 1 && !this.isTrail ? BRACKET : 0)}px`;
        this.space.style.height = `${(this.bottom || 0) + 8}px`;
        if (!width || !height || !this.top)
            return;
        if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
            this.canvas.width = Math.round(width * ratio);
            this.canvas.height = Math.round(height * ratio);
            this.canvas.style.width = `${width}px`;
            this.canvas.style.height = `${height}px`;
        }
        const c = this.canvas.getContext('2d'), s = this.style(), left = this.box.scrollLeft, up = this.box.scrollTop;
        c.setTransform(ratio, 0, 0, ratio, 0, 0);
        c.fillStyle = s.paper;
        c.fillRect(0, 0, width, height);
        c.textBaseline = 'middle';
        const from = Math.max(0, Math.floor(left / this.cell)), to = Math.min(this.lanes, Math.ceil((left + width) / this.cell));
        for (let i = this.rowAt(up); i < this.rows.length && this.top[i] - up < height; i++)
            this.drawRow(c, s, this.rows[i], this.top[i] - up, left, from, to, width);
        this.drawLinks(c, s, left, up);
        this.drawHeader(c, s, left, from, to, width);
    }

    /** The first row that is not above @p y. */
    rowAt(y) {
        let low = 0, high = this.rows.length;
        while (low < high) {
            const middle = low + high >> 1;
            if (this.top[middle] + HEADING_HEIGHT < y)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }

    drawHeader(c, s, left, from, to, width) {
        c.fillStyle = s.paper;
        c.fillRect(0, 0, width, HEADER_HEIGHT);
        c.fillStyle = s.dim;
        c.font = '10px sans-serif';
        c.textAlign = 'center';
        const every = this.cell >= 20 ? 1 : 4;
        for (let lane = from; lane < to; lane++)
            if (lane % every === 0 && LABEL_WIDTH + (lane + .5) * this.cell - left > LABEL_WIDTH)
                c.fillText(lane, LABEL_WIDTH + (lane + .5) * this.cell - left, HEADER_HEIGHT / 2);
    }

    drawRow(c, s, row, y, left, from, to, width) {
        if (row.title !== undefined) {
            c.fillStyle = s.text;
            c.font = 'bold 12px sans-serif';
            c.textAlign = 'left';
            c.fillText(row.title, 6, y + HEADING_HEIGHT / 2 + 1);
            return;
        }
        const states = row.wave ? statesOf(row.wave) : null;
        for (let lane = from; lane < to && lane < row.lanes; lane++)
            this.drawCell(c, s, row, lane, states ? states[lane] : row.state, LABEL_WIDTH + lane * this.cell - left, y);
        c.fillStyle = s.paper;
        c.fillRect(0, y - 1, LABEL_WIDTH, this.height + 2);
        c.fillStyle = row.wave ? s.text : s.dim;
        c.font = '12px sans-serif';
        c.textAlign = 'left';
        c.fillText(row.label, 14, y + this.height / 2, LABEL_WIDTH - 18);
        if (this.selected && this.selected.key === row.key) {
            const x = LABEL_WIDTH + this.selected.lane * this.cell - left;
            c.fillText('▸', 3, y + this.height / 2);
            if (x >= LABEL_WIDTH - 1) {
                c.strokeStyle = s.focus;
                c.lineWidth = 2.5;
                c.strokeRect(x - .5, y - .5, this.cell - 1, this.height + 1);
            }
        }
    }

    drawCell(c, s, row, lane, state, x, y) {
        const w = this.cell - 2, h = this.height, paint = this.paint;
        if (state === NONE)
            return;
        const text = paint.kind !== 'state' && row.wave ? valueOf(row.wave, paint.expression, lane) : null;
        if (paint.kind === 'map' && text !== null && state < NOT_BEGUN) {
            const number = numberOf(text);
            c.globalAlpha = state === MASKED ? .35 : 1;
            c.fillStyle = number === null || !paint.range ? hueOf(text)
                : rampColour(shareOf(number, paint.range));
            c.fillRect(x, y, w, h);
            c.globalAlpha = 1;
            this.mark(c, s, state, x, y, w, h, true);
            return;
        }
        if (paint.kind === 'text' && text !== null && state < NOT_BEGUN) {
            c.fillStyle = state === MASKED ? s.paper : s.state[state];
            c.globalAlpha = state === MASKED ? 1 : .25;
            c.fillRect(x, y, w, h);
            c.globalAlpha = 1;
            c.strokeStyle = s.state[state];
            c.lineWidth = 1;
            c.setLineDash(state === MASKED ? [2, 2] : []);
            c.strokeRect(x + .5, y + .5, w - 1, h - 1);
            c.setLineDash([]);
            c.fillStyle = state === MASKED ? s.dim : s.text;
            c.font = '12px monospace';
            c.textAlign = 'center';
            c.fillText(shortened(text), x + w / 2, y + h / 2 + .5, w - 4);
            return;
        }
        if (state < NOT_BEGUN) {
            c.fillStyle = s.state[state];
            c.fillRect(x, y, w, h);
        }
        this.mark(c, s, state, x, y, w, h, false);
    }

    /** The box of linked lanes of a row; null: the row is not there. */
    boxOf({ key, lanes }, left, up) {
        const i = this.rows.findIndex((row) => row.key === key), first = lanes.indexOf(true), last = lanes.lastIndexOf(true);
        return i < 0 || first < 0 ? null
            : { x: LABEL_WIDTH + first * this.cell - left - 1.5, y: this.top[i] - up - 1.5, w: (last - first + 1) * this.cell + 1, h: this.height + 3 };
    }

    /** Frames the linked cells, with their marks, and joins each with the next one: by a broken bracket, or of a trail by an arrow, which is pale where its
     * end is later than what is shown. */
    drawLinks(c, s, left, up) {
        const boxes = this.linked.map((one) => ({ ...one, box: this.boxOf(one, left, up) })).filter((one) => one.box);
        const colour = this.isTrail ? s.text : s.state[FAULTED], marks = new Map();
        c.save();
        c.beginPath();
        c.rect(LABEL_WIDTH - 2, HEADER_HEIGHT, this.box.clientWidth, this.box.clientHeight);
        c.clip();
        c.strokeStyle = s.paper; /* arrows are seen on cells of any colour */
        c.lineWidth = 5;
        if (this.isTrail)
            boxes.forEach(({ box }, i) => this.drawStep(c, i ? boxes[i - 1].box : null, box));
        boxes.forEach(({ box, mark, isAhead }, i) => {
            const place = `${box.x},${box.y}`;
            marks.set(place, { box, all: [...marks.has(place) ? marks.get(place).all : [], mark] });
            c.strokeStyle = colour;
            c.lineWidth = 2;
            c.globalAlpha = this.isTrail && isAhead ? .35 : 1;
            this.drawStep(c, i ? boxes[i - 1].box : null, box);
            c.globalAlpha = 1;
        });
        c.font = 'bold 10px sans-serif';
        c.textAlign = 'center';
        for (const { box, all } of marks.values()) {
            const text = marksText(all), w = Math.max(14, c.measureText(text).width + 6);
            c.fillStyle = colour;
            c.beginPath();
            c.roundRect(box.x, box.y, w, 14, 7);
            c.fill();
            c.fillStyle = s.paper;
            c.fillText(text, box.x + w / 2, box.y + 7.5);
        }
        c.restore();
    }

    /** A frame around cells, and what joins it with the one before. */
    drawStep(c, from, to) {
        c.strokeRect(to.x, to.y, to.w, to.h);
        if (from)
            this.drawLink(c, from, to);
    }

    /** What is missing between two accesses: a bracket at the end of their rows, with a cross. */
    drawBracket(c, from, to) {
        const x = Math.max(from.x + from.w, to.x + to.w) + 10, y0 = from.y + from.h / 2, y1 = to.y + to.h / 2, middle = (y0 + y1) / 2;
        c.setLineDash([5, 4]);
        c.beginPath();
        c.moveTo(from.x + from.w, y0);
        c.lineTo(x, y0);
        c.lineTo(x, y1);
        c.lineTo(to.x + to.w, y1);
        c.stroke();
        c.setLineDash([]);
        c.beginPath();
        for (const side of [-4, 4]) {
            c.moveTo(x - 4, middle - side);
            c.lineTo(x + 4, middle + side);
        }
        c.stroke();
    }

    drawLink(c, from, to) {
        const middle = ({ x, w }) => x + w / 2, x0 = middle(from), x1 = middle(to);
        if (!this.isTrail)
            return this.drawBracket(c, from, to);
        if (from.y === to.y && x0 === x1)
            return;
        const down = to.y > from.y, isRow = to.y === from.y, y0 = down || isRow ? from.y + from.h : from.y, y1 = isRow ? to.y + to.h : down ? to.y : to.y + to.h;
        c.beginPath();
        c.moveTo(x0, y0);
        if (isRow)
            c.quadraticCurveTo((x0 + x1) / 2, from.y + 2.5 * from.h, x1, y1);
        else
            c.lineTo(x1, y1);
        c.stroke();
        const angle = isRow ? Math.atan2(-1.5 * from.h, (x1 - x0) / 2) : Math.atan2(y1 - y0, x1 - x0);
        c.beginPath();
        c.moveTo(x1, y1);
        for (const turn of [.45, -.45])
            c.lineTo(x1 - 9 * Math.cos(angle + turn), y1 - 9 * Math.sin(angle + turn));
        c.fillStyle = c.strokeStyle;
        c.fill();
    }

    /** Shapes say the state, too: nobody needs colours to read it. */
    mark(c, s, state, x, y, w, h, over) {
        const mx = x + w / 2, my = y + h / 2, k = Math.min(w, h) / 14;
        c.lineWidth = 2;
        if (state === MASKED) {
            c.strokeStyle = s.dim;
            c.lineWidth = 1;
            c.strokeRect(x + .5, y + .5, w - 1, h - 1);
            if (!over) {
                c.beginPath();
                c.moveTo(mx - 3 * k, my + 3 * k);
                c.lineTo(mx + 3 * k, my - 3 * k);
                c.stroke();
            }
        } else if (state === BARRIER) {
            c.fillStyle = over ? s.state[BARRIER] : s.paper;
            c.fillRect(mx - 4 * k, my - 5 * k, 2.5 * k, 10 * k);
            c.fillRect(mx + 1.5 * k, my - 5 * k, 2.5 * k, 10 * k);
        } else if (state === FAULTED) {
            c.strokeStyle = over ? s.state[FAULTED] : s.paper;
            c.beginPath();
            c.moveTo(mx - 4 * k, my - 4 * k);
            c.lineTo(mx + 4 * k, my + 4 * k);
            c.moveTo(mx + 4 * k, my - 4 * k);
            c.lineTo(mx - 4 * k, my + 4 * k);
            c.stroke();
        } else if (state === NOT_BEGUN) {
            c.strokeStyle = s.state[NOT_BEGUN];
            c.lineWidth = 1;
            c.setLineDash([2, 2]);
            c.strokeRect(x + .5, y + .5, w - 1, h - 1);
            c.setLineDash([]);
        } else if (state === ENDED) {
            c.fillStyle = s.state[ENDED];
            c.beginPath();
            c.arc(mx, my, 2, 0, 7);
            c.fill();
        }
    }

    /** The row and lane at a mouse event; null: there is none. */
    at(event) {
        const rect = this.box.getBoundingClientRect();
        const x = event.clientX - rect.left + this.box.scrollLeft - LABEL_WIDTH, y = event.clientY - rect.top + this.box.scrollTop;
        if (event.clientX - rect.left < LABEL_WIDTH || event.clientY - rect.top < HEADER_HEIGHT)
            return null;
        const lane = Math.floor(x / this.cell);
        for (let i = Math.max(0, this.rowAt(y) - 1); i < this.rows.length && this.top[i] <= y; i++)
            if (y < this.top[i] + this.height && this.rows[i].title === undefined && lane < this.rows[i].lanes)
                return { row: this.rows[i], lane };
        return null;
    }

    hover(event) {
        const found = this.at(event);
        this.events.hover(found, event.clientX, event.clientY);
    }

    click(event) {
        const found = this.at(event);
        if (found)
            this.select(found.row, found.lane);
    }

    select(row, lane) {
        this.selected = { key: row.key, lane };
        this.draw();
        this.events.select(row, lane);
    }

    /** Arrow keys go from lane to lane and from wave to wave. */
    key(event) {
        const rows = this.rows.filter((row) => row.title === undefined);
        const at = Math.max(0, rows.findIndex((row) => this.selected && row.key === this.selected.key));
        const lane = this.selected ? this.selected.lane : 0, page = Math.max(1, Math.floor(this.box.clientHeight / (this.height + 2)) - 2);
        const moves = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], PageUp: [-page, 0], PageDown: [page, 0],
                        Home: [0, -lane], End: [0, this.lanes] };
        const move = event.ctrlKey || event.metaKey || event.altKey ? null : moves[event.key];
        if (!move || !rows.length)
            return;
        event.preventDefault();
        const row = rows[Math.min(Math.max(at + move[0], 0), rows.length - 1)];
        this.select(row, Math.min(Math.max(lane + move[1], 0), row.lanes - 1));
        this.reveal(row);
    }

    /** Scrolls to the first row with a wave, where none of those on the screen has one. */
    follow() {
        const shown = (row, i) => row.wave && this.top[i] + this.height > this.box.scrollTop + HEADER_HEIGHT && this.top[i] < this.box.scrollTop + this.box.clientHeight;
        if (!this.top || this.rows.some(shown))
            return;
        const first = this.rows.findIndex((row) => row.wave);
        if (first >= 0)
            this.box.scrollTop = this.top[first] - HEADER_HEIGHT - HEADING_HEIGHT;
    }

    reveal(row) {
        const y = this.top[this.rows.findIndex((one) => one.key === row.key)], x = this.selected.lane * this.cell;
        if (y - HEADER_HEIGHT - HEADING_HEIGHT < this.box.scrollTop)
            this.box.scrollTop = y - HEADER_HEIGHT - HEADING_HEIGHT;
        else if (y + this.height > this.box.scrollTop + this.box.clientHeight)
            this.box.scrollTop = y + this.height - this.box.clientHeight + 8;
        if (x < this.box.scrollLeft)
            this.box.scrollLeft = x;
        else if (x + LABEL_WIDTH + this.cell > this.box.scrollLeft + this.box.clientWidth)
            this.box.scrollLeft = x + LABEL_WIDTH + this.cell - this.box.clientWidth + 8;
    }
}

/** A value as a cell has room for it; what cannot be had is a dash. */
function shortened(text) {
    return text.startsWith('<') ? '–' : text.length > 14 ? `${text.slice(0, 13)}…` : text;
}

/** A colour for a text that is not a number, always the same. */
function hueOf(text) {
    let hash = 0;
    for (const letter of text)
        hash = hash * 31 + letter.codePointAt(0) >>> 0;
    return `hsl(${hash % 360},55%,60%)`;
}

function element(tag, className, text) {
    const made = document.createElement(tag);
    if (className)
        made.className = className;
    if (text !== undefined)
        made.textContent = text;
    return made;
}
