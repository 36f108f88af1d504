// What goes wrong: the server's errors and the client's own, and what kind one is of.

const errorNames = new Map([
  [-32700, 'ParseError'],
  [-32600, 'InvalidRequest'],
  [-32601, 'MethodNotFound'],
  [-32602, 'InvalidParams'],
  [-32603, 'InternalError'],
  [-32002, 'ServerNotInitialized'],
  [-32800, 'RequestCancelled'],
  [-32010, 'Unauthorized'],
  [-32011, 'UnknownViewModel'],
  [-32012, 'UnknownSession'],
  [-32013, 'ReplayUnavailable'],
  [-32014, 'ViewModelFailed'],
  [-32015, 'LimitExceeded'],
  [-32016, 'StoreUnavailable'],
  [-32017, 'Forbidden'],
]);

/** The server's error answer, or (with code 0) an error that the client found itself. */
export class ViewModelError extends Error {
  constructor(code, message, data, name = errorNames.get(code) ?? 'ServerError', options = undefined) {
    super(message, options);
    this.code = code;
    this.name = name;
    this.data = data;
  }
}

/** @param cause the error that led to it, where there is one */
export function ownError(name, message, cause, data) {
  return new ViewModelError(0, message, data, name, cause && { cause });
}

/** `data.isSilent` tells a server that stands still, or a connection without another end, from one that was ended. */
export function silentError(message) {
  return ownError('ConnectionLost', message, undefined, { isSilent: true });
}

export function serverError({ code, message, data }) {
  const reason = typeof message === 'string' && message !== '' ? message : 'the server gave no reason';
  return new ViewModelError(code, reason, data);
}

/** There is no room, or the server's store can't be reached: the same may be asked again later. */
export function isForNow({ name, data }) {
  return (name === 'LimitExceeded' || name === 'StoreUnavailable') && data?.retryAfterMs !== undefined;
}

/** Why the server can't store anything now, for a sentence that says the rest. */
export function stallReason(message) {
  return message.replace(/^the store can't be used: /, '');
}

export function excerpt(text) {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
