/* Memory as a picture, or, where it has one row, as a plot. */
'use strict';

/** The numbers of an image's contents. */
function numbersOf(image, base64) {
    const bytes = bytesOf(base64), count = image.width * image.height;
    const kinds = { u8: Uint8Array, i32: Int32Array, u32: Uint32Array, f32: Float32Array };
    return Array.from(new kinds[image.type](bytes.buffer, 0, count));
}

/** The least and the greatest finite number. */
function endsOf(numbers) {
    let low = Infinity, high = -Infinity;
    for (const number of numbers)
        if (Number.isFinite(number)) {
            low = Math.min(low, number);
            high = Math.max(high, number);
        }
    return low <= high ? [low, high] : [0, 0];
}

/** "E:WxH:TYPE" or "E:N:TYPE"; null: it is neither. */
function imageOf(text) {
    const found = /^(.+):(\d+)(?:x(\d+))?:(u8|i32|u32|f32)$/.exec(text.trim());
    return found && { expression: found[1], width: Number(found[2]), height: Number(found[3] || 1), type: found[4] };
}

/** Shows the images of a frame in @p where. `ends` of each are kept while time moves, so that colours mean the same. */
class Images {
    constructor(where) {
        this.where = where;
        this.ends = new Map();
    }

    show(model, frame, isLive) {
        const images = model.body.images || [], contents = model.body.contents || [];
        this.where.replaceChildren();
        images.forEach((image, i) => {
            this.where.append(element('h2', '', `${image.expression}: ${image.width}${image.height > 1 ? ` × ${image.height}` : ''} ${image.type}`));
            const number = (model.frames[frame].images || [])[i];
            if (image.why || number === undefined || number < 0) {
                this.where.append(element('div', 'about', image.why || 'This memory cannot be read here.'));
                return;
            }
            const numbers = numbersOf(image, contents[number]), key = `${image.expression}:${image.type}`;
            if (isLive || !this.ends.has(key))
                this.ends.set(key, endsOf(isLive ? numbers : model.frames.flatMap((one) => one.images[i] < 0 ? [] : numbersOf(image, contents[one.images[i]]))));
            this.draw(image, numbers, this.ends.get(key));
        });
    }

    draw(image, numbers, ends) {
        const canvas = this.where.appendChild(element('canvas', 'image')), c = canvas.getContext('2d'), isPlot = image.height === 1;
        canvas.width = isPlot ? Math.max(image.width, 256) : image.width;
        canvas.height = isPlot ? 96 : image.height;
        canvas.setAttribute('role', 'img');
        canvas.setAttribute('aria-label', `${image.expression}, from ${ends[0]} to ${ends[1]}`);
        const share = (number) => ends[1] > ends[0] ? (number - ends[0]) / (ends[1] - ends[0]) : .5;
        if (isPlot) {
            c.strokeStyle = getComputedStyle(this.where).getPropertyValue('--running');
            c.beginPath();
            numbers.forEach((number, i) => c.lineTo((i + .5) * canvas.width / numbers.length, 94 - 92 * share(number)));
            c.stroke();
        } else {
            const picture = c.createImageData(image.width, image.height);
            numbers.forEach((number, i) => picture.data.set([...rampOf(share(number)), 255], 4 * i));
            c.putImageData(picture, 0, 0);
        }
        const said = this.where.appendChild(element('div', 'about', `${ends[0]} to ${ends[1]}`));
        canvas.addEventListener('mousemove', (event) => {
            const x = Math.floor(event.offsetX * image.width / canvas.clientWidth), y = isPlot ? 0 : Math.floor(event.offsetY * image.height / canvas.clientHeight);
            const at = y * image.width + x;
            if (at < numbers.length)
                said.textContent = `[${at}]${isPlot ? '' : ` at (${x},${y})`} = ${numbers[at]}`;
        });
    }
}
