// The WebSocket of a runtime that has one, and otherwise as little as the client needs.
import { randomBytes } from 'node:crypto';
import http from 'node:http';

/** Text messages of a server on loopback: not broken into pieces, as this project's server sends them. */
class SmallWebSocket {
  #socket = null;
  #bytes = Buffer.alloc(0);
  #pieces = [];
  #isClosed = false;

  constructor(url) {
    const key = randomBytes(16).toString('base64');
    const headers = {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Key': key,
      'Sec-WebSocket-Version': '13',
    };
    const request = http.get(url.replace(/^ws:/, 'http:'), { headers });
    request.on('upgrade', (_, socket, head) => {
      this.#socket = socket;
      socket.on('data', (data) => this.#read(data));
      socket.on('error', () => {});
      socket.on('close', () => this.#closed(1006));
      this.onopen({});
      this.#read(head);
    });
    request.on('response', (response) => {
      response.resume();
      this.#closed(1006);
    });
    request.on('error', () => this.#closed(1006));
  }

  send(text) {
    this.#write(0x1, Buffer.from(text));
  }

  close(code) {
    this.#write(0x8, code ? Buffer.from([code >> 8, code & 0xff]) : Buffer.alloc(0));
    this.#socket?.end();
  }

  #closed(code) {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onclose({ code, reason: '' });
  }

  #write(kind, payload) {
    if (!this.#socket?.writable) return;
    const mask = randomBytes(4);
    const isShort = payload.length < 126;
    const isLong = payload.length >= 65_536;
    const head = Buffer.alloc(isShort ? 2 : isLong ? 10 : 4);
    head[0] = 0x80 | kind;
    head[1] = 0x80 | (isShort ? payload.length : isLong ? 127 : 126);
    if (isLong) head.writeBigUInt64BE(BigInt(payload.length), 2);
    else if (!isShort) head.writeUInt16BE(payload.length, 2);
    this.#socket.write(Buffer.concat([head, mask, payload.map((byte, index) => byte ^ mask[index % 4])]));
  }

  /** A long message comes in pieces, between which others of the connection's own may come (RFC 6455, section 5.4). */
  #append(piece, isLast) {
    this.#pieces.push(piece);
    if (!isLast) return;
    const text = Buffer.concat(this.#pieces).toString();
    this.#pieces = [];
    this.onmessage({ data: text });
  }

  #read(data) {
    this.#bytes = Buffer.concat([this.#bytes, data]);
    for (;;) {
      const bytes = this.#bytes;
      if (bytes.length < 2) return;
      const short = bytes[1] & 0x7f;
      const start = 2 + (short === 126 ? 2 : short === 127 ? 8 : 0);
      if (bytes.length < start) return;
      const length = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
      if (bytes.length < start + length) return;
      const payload = bytes.subarray(start, start + length);
      this.#bytes = bytes.subarray(start + length);
      const kind = bytes[0] & 0x0f;
      if (kind === 0x1 || kind === 0x0) this.#append(payload, (bytes[0] & 0x80) !== 0);
      else if (kind === 0x9) this.#write(0xa, payload);
      else if (kind === 0x8) this.#socket.end();
      else throw new Error(`a frame of kind ${kind}`);
    }
  }
}

export const WebSocket = globalThis.WebSocket ?? SmallWebSocket;
