// Ways to a server: a WebSocket, a socket, or a process that is started.
import { framings, lines } from './framing.js';
import { nodeModule } from './runtime.js';

/**
 * @returns a transport: `send(text)`; `end()`, which lets the server finish; `abort()`, which doesn't. Once closed, for
 *   whatever reason, it calls `handlers.closed`.
 */
export async function openTransport(target, options, handlers) {
  if (target.webSocket) return openWebSocket(target.webSocket, options.WebSocket ?? globalThis.WebSocket, handlers);
  if (target.transport) return target.transport(handlers);
  if (target.command) return spawn(target, options, handlers);
  return openSocket(target.tcp ? address(target.tcp) : { path: target.unix }, options, handlers);
}

function openWebSocket(url, WebSocket, handlers) {
  if (!WebSocket) throw new Error('there is no WebSocket here; give one as the option WebSocket, or connect by TCP');
  const socket = new WebSocket(url);
  let isOpen = false;
  socket.onopen = () => {
    isOpen = true;
    handlers.opened();
  };
  socket.onmessage = ({ data }) => handlers.received(typeof data === 'string' ? data : '(bytes)');
  socket.onclose = ({ code, reason }) => {
    handlers.closed(new Error(`the connection to ${url} was closed (${code}${reason ? `: ${reason}` : ''})`));
  };
  // Browsers keep the reason from scripts, and close next. Node has the reason, and may not close what never opened.
  socket.onerror = ({ message }) => {
    if (!isOpen) handlers.closed(new Error(`there is no connection to ${url}${message ? `: ${message}` : ''}`));
  };
  return { send: (text) => socket.send(text), end: () => socket.close(1000), abort: () => socket.close() };
}

async function openSocket(place, { framing, closeTimeout }, handlers) {
  const net = await nodeModule('node:net');
  const socket = net.connect(place);
  const { encode, decode } = framings(framing);
  let failure = new Error('the server closed the connection');
  const decoder = decode(handlers.received);
  socket.setNoDelay?.(true);
  socket.on('connect', () => handlers.opened());
  socket.on('data', (chunk) => {
    try {
      decoder(chunk);
    } catch (error) {
      failure = error;
      socket.destroy();
    }
  });
  socket.on('error', (error) => (failure = error));
  socket.on('close', () => handlers.closed(failure));
  return {
    send: (text) => socket.write(encode(text)),
    end: () => {
      socket.end();
      socket.setTimeout(closeTimeout, () => socket.destroy());
    },
    abort: () => socket.destroy(),
  };
}

async function spawn({ command: [program, ...given], cwd, env }, { framing, closeTimeout }, handlers) {
  const children = await nodeModule('node:child_process');
  const child = children.spawn(program, given, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
  const { encode, decode } = framings(framing);
  let failure = null;
  let lastLine = '';
  const decoder = decode(handlers.received);
  const log = lines((text) => {
    lastLine = text;
    handlers.log({ level: 'info', message: text, source: 'stderr' });
  });
  child.stdout.on('data', (chunk) => {
    try {
      decoder(chunk);
    } catch (error) {
      failure = error;
      child.kill();
    }
  });
  child.stderr.on('data', log);
  // A server that is gone says so below.
  child.stdin.on('error', () => {});
  child.on('spawn', () => handlers.opened());
  child.on('error', (cause) => {
    handlers.closed(new Error(`${program} can't be started: ${cause.message}`, { cause }));
  });
  child.on('close', (status, signal) => {
    const how = signal ? `was ended by ${signal}` : `ended with status ${status}`;
    handlers.closed(failure ?? new Error(`${program} ${how}${lastLine ? `: ${lastLine}` : ''}`));
  });
  return {
    send: (text) => child.stdin.write(encode(text)),
    end: () => {
      child.stdin.end();
      const timer = setTimeout(() => child.kill('SIGKILL'), closeTimeout);
      child.on('close', () => clearTimeout(timer));
    },
    abort: () => child.kill(),
  };
}

export function address(text) {
  const [, host, port] = /^(?:(.*):)?([0-9]+)$/.exec(String(text)) ?? [];
  if (port === undefined || Number(port) > 65_535) throw new TypeError(`not an address as host:port: ${text}`);
  return { host: host?.replace(/^\[(.*)\]$/, '$1') || '127.0.0.1', port: Number(port) };
}
