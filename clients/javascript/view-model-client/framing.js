// Messages in a stream of bytes: each after a header with its length, or on a line of its own.
import { excerpt } from './errors.js';

export function framings(name) {
  if (name === 'lines') return { encode: (text) => `${text}\n`, decode: lines };
  if (name !== 'headers') throw new TypeError(`a framing is 'headers' or 'lines', not '${name}'`);
  return { encode: (text) => `Content-Length: ${byteCount(text)}\r\n\r\n${text}`, decode: headers };
}

export function byteCount(text) {
  return new TextEncoder().encode(text).length;
}

/** Takes chunks of bytes, and hands on each line that isn't empty. */
export function lines(take) {
  let chunks = [];
  return (chunk) => {
    chunks.push(chunk);
    if (!chunk.includes(0x0a)) return;
    const bytes = joined(chunks);
    let begin = 0;
    for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, begin)) {
      const text = decoded(bytes.subarray(begin, end)).trim();
      begin = end + 1;
      if (text) take(text);
    }
    chunks = [bytes.subarray(begin)];
  };
}

/** Takes chunks of bytes, and hands on the text of each message. Throws where no header can be found. */
function headers(take) {
  let chunks = [];
  let count = 0;
  let needed = 1;
  return (chunk) => {
    chunks.push(chunk);
    count += chunk.length;
    if (count < needed) return;
    let bytes = joined(chunks);
    for (;;) {
      const end = headerEnd(bytes);
      if (end < 0) {
        needed = bytes.length + 1;
        break;
      }
      const length = contentLength(decoded(bytes.subarray(0, end)));
      needed = end + length;
      if (bytes.length < needed) break;
      const text = decoded(bytes.subarray(end, needed));
      bytes = bytes.subarray(needed);
      take(text);
    }
    chunks = [bytes];
    count = bytes.length;
  };
}

/** Where the message begins; -1 where the header isn't complete. */
function headerEnd(bytes) {
  for (let index = bytes.indexOf(0x0d); index >= 0; index = bytes.indexOf(0x0d, index + 1)) {
    if (bytes[index + 1] === 0x0a && bytes[index + 2] === 0x0d && bytes[index + 3] === 0x0a) return index + 4;
    if (index > 8_192) break;
  }
  if (bytes.length > 8_192) throw new Error('the server sent more than 8,192 bytes without the header of a message');
  return -1;
}

function contentLength(header) {
  const [, length] = /^content-length: *([0-9]{1,15}) *$/im.exec(header) ?? [];
  if (length === undefined) throw new Error(`the server sent a header without a Content-Length: ${excerpt(header)}`);
  return Number(length);
}

function joined(chunks) {
  if (chunks.length === 1) return chunks[0];
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}

function decoded(bytes) {
  return new TextDecoder().decode(bytes);
}
