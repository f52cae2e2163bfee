// Runs inside every isolate, never in the server: part of the start-up snapshot, first of our files. Writes
// what scripts return, throw and log as JSON text, within the limits and without trusting any of it.
//
// The rules for all files of this folder, because scripts share the realm with them: strict mode, so that
// stack traces expose neither these functions nor their data; nothing of the language is looked up after the
// snapshot (no globals, no methods, no iterators, no regular expressions, no array destructuring); our own
// lists have no prototype, so that a setter on Array.prototype is never called; and our own objects are never
// passed to a script. The limits are inserted by sandbox/preload.ts.
;(() => {
  const { freeze, keys, getPrototypeOf, setPrototypeOf, getOwnPropertyDescriptor } = Object
  const LIMITS = freeze(__LIMITS__)
  const { stringify } = JSON
  const { isArray } = Array
  const { isFinite: isNumber, isSafeInteger } = Number
  const { isView } = ArrayBuffer
  const { asIntN } = BigInt
  const { bind, call } = Function.prototype
  const uncurry = bind.bind(call)
  const text = String
  const toNumber = Number
  const RealPromise = Promise
  const RealDate = Date
  const RealMap = Map
  const RealSet = Set
  const RealError = Error
  const RealBuffer = ArrayBuffer
  const Bytes = Uint8Array
  const boxes = freeze([Number, String, Boolean])
  const unboxers = freeze(boxes.map((box) => uncurry(box.prototype.valueOf)))
  const objectPrototype = Object.prototype
  const slice = uncurry(String.prototype.slice)
  const getTime = uncurry(Date.prototype.getTime)
  const toISOString = uncurry(Date.prototype.toISOString)
  const forEachOfMap = uncurry(Map.prototype.forEach)
  const forEachOfSet = uncurry(Set.prototype.forEach)
  const getter = (prototype, name) => uncurry(getOwnPropertyDescriptor(prototype, name).get)
  const typedArray = getPrototypeOf(Uint8Array.prototype)
  /** The true type of a typed array, whatever it claims; undefined for everything else. */
  const kindOf = getter(typedArray, Symbol.toStringTag)
  const bufferOf = getter(typedArray, 'buffer')
  const offsetOf = getter(typedArray, 'byteOffset')
  const bytesIn = getter(typedArray, 'byteLength')
  const lengthOf = getter(typedArray, 'length')
  const bufferBytes = getter(ArrayBuffer.prototype, 'byteLength')
  const viewedBuffer = getter(DataView.prototype, 'buffer')
  const viewedOffset = getter(DataView.prototype, 'byteOffset')
  const viewedBytes = getter(DataView.prototype, 'byteLength')

  /** An empty list of our own. */
  const list = () => setPrototypeOf([], null)

  // ---- refusals: failures reported by the sandbox itself

  const REFUSED = freeze({ __proto__: null })
  let refusedCode = ''
  let refusedMessage = ''
  /** The value to throw; code and message are kept here, where no script can change them. */
  function refuse(code, message) {
    refusedCode = code
    refusedMessage = message
    return REFUSED
  }

  // ---- results: any JavaScript value to JSON text, within the limits

  let size = 0
  function grow(chars) {
    size += chars
    if (size > LIMITS.outputChars)
      throw refuse('SCRIPT_OUTPUT_TOO_LARGE', `The answer is larger than ${LIMITS.outputChars} characters`)
  }

  function quote(value) {
    grow(value.length + 2)
    const quoted = stringify(value)
    grow(quoted.length - value.length - 2)
    return quoted
  }

  const DIGITS = '0123456789abcdef'
  function hexOfBytes(bytes) {
    const length = lengthOf(bytes)
    grow(length * 2 + 2)
    let hex = ''
    for (let i = 0; i < length; i++) hex += DIGITS[bytes[i] >> 4] + DIGITS[bytes[i] & 15]
    return hex
  }

  /** For a typed array, a view, or a buffer. */
  function hexOf(value) {
    if (kindOf(value) !== undefined)
      return hexOfBytes(new Bytes(bufferOf(value), offsetOf(value), bytesIn(value)))
    if (isView(value))
      return hexOfBytes(new Bytes(viewedBuffer(value), viewedOffset(value), viewedBytes(value)))
    // Throws for objects that only pretend to be a buffer, before they are read as a list.
    return hexOfBytes(new Bytes(value, 0, bufferBytes(value)))
  }

  function writeItems(value, length, depth) {
    let out = '['
    for (let i = 0; i < length; i++) {
      grow(1)
      if (i > 0) out += ','
      const item = write(value[i], depth + 1)
      if (item === undefined) grow(4)
      out += item === undefined ? 'null' : item
    }
    return `${out}]`
  }

  function writeEntry(out, key, value, depth) {
    // A key of this name could reach the prototype of an object into which the result is copied.
    if (key === '__proto__') return out
    const item = write(value, depth + 1)
    if (item === undefined) return out
    grow(2)
    return `${out}${out === '{' ? '' : ','}${quote(key)}:${item}`
  }

  function writeFields(value, depth) {
    const names = keys(value)
    let out = '{'
    for (let i = 0; i < names.length; i++) out = writeEntry(out, names[i], value[names[i]], depth)
    return `${out}}`
  }

  function is(value, type) {
    try {
      return value instanceof type
    } catch {
      return false
    }
  }

  function writeDate(value) {
    if (isNumber(getTime(value))) return quote(toISOString(value))
    grow(4)
    return 'null'
  }

  function writeMap(value, depth) {
    let out = '{'
    forEachOfMap(value, (item, key) => {
      out = writeEntry(out, text(key), item, depth)
    })
    return `${out}}`
  }

  function writeSet(value, depth) {
    const items = list()
    forEachOfSet(value, (item) => {
      grow(1)
      items[items.length] = item
    })
    return writeItems(items, items.length, depth)
  }

  function writeSpecial(value, depth) {
    if (isView(value)) {
      const kind = kindOf(value)
      const asBytes = kind === undefined || kind === 'Uint8Array' || kind === 'Uint8ClampedArray'
      return asBytes ? `"${hexOf(value)}"` : writeItems(value, lengthOf(value), depth)
    }
    if (is(value, RealBuffer)) return `"${hexOf(value)}"`
    if (is(value, RealDate)) return writeDate(value)
    if (is(value, RealMap)) return writeMap(value, depth)
    if (is(value, RealSet)) return writeSet(value, depth)
    if (is(value, RealError)) return quote(text(value.message))
    for (let i = 0; i < boxes.length; i++) if (is(value, boxes[i])) return write(unboxers[i](value), depth)
    return writeFields(value, depth)
  }

  function writeNumber(value) {
    const out = isNumber(value) ? `${value === 0 ? 0 : value}` : 'null'
    grow(out.length)
    return out
  }

  function writeBigInt(value) {
    // A large one is cheap to create and slow to print.
    if (asIntN(256, value) !== value)
      throw refuse('SCRIPT_OUTPUT_INVALID', 'The answer holds an integer of more than 256 bits')
    const out = `${value}`
    if (!isSafeInteger(toNumber(value))) return quote(out)
    grow(out.length)
    return out
  }

  function writeObject(value, depth) {
    if (value === null) {
      grow(4)
      return 'null'
    }
    if (depth >= LIMITS.outputDepth)
      throw refuse('SCRIPT_OUTPUT_INVALID', `The answer is nested deeper than ${LIMITS.outputDepth} levels`)
    grow(2)
    if (isArray(value)) return writeItems(value, value.length, depth)
    const prototype = getPrototypeOf(value)
    if (prototype === objectPrototype || prototype === null) return writeFields(value, depth)
    return writeSpecial(value, depth)
  }

  /** JSON text of a value; undefined for what JSON omits: undefined, functions, symbols. */
  function write(value, depth) {
    switch (typeof value) {
      case 'string':
        return quote(value)
      case 'number':
        return writeNumber(value)
      case 'boolean':
        grow(5)
        return value ? 'true' : 'false'
      case 'bigint':
        return writeBigInt(value)
      case 'object':
        return writeObject(value, depth)
      default:
        return undefined
    }
  }

  function writeAnswer(value) {
    size = 0
    if (typeof value === 'object' && value !== null && is(value, RealPromise))
      throw refuse('SCRIPT_OUTPUT_INVALID', 'The script answered with a promise; it has to answer at once')
    return write(value, 0)
  }

  // ---- errors: any thrown value to text, without trusting it

  /** A text, truncated if it is too long. */
  function clip(value, chars) {
    return value.length > chars ? `${slice(value, 0, chars)}…` : value
  }

  function titleOf(name, message) {
    return typeof name === 'string' && name !== 'Error' ? `${clip(name, 100)}: ${message}` : message
  }

  /** The text of a thrown value or reported error. */
  function messageOf(thrown) {
    if (typeof thrown !== 'object' || thrown === null) return text(thrown)
    const { name, message } = thrown
    if (typeof message === 'string' && message !== '') return titleOf(name, clip(message, LIMITS.errorChars))
    size = 0
    return write(thrown, LIMITS.outputDepth - 3) ?? ''
  }

  function stackOf(thrown) {
    if (typeof thrown !== 'object' || thrown === null) return ''
    const { stack } = thrown
    return typeof stack === 'string' ? stack : ''
  }

  function writeFailure(thrown) {
    let code = 'SCRIPT_ERROR'
    let message = 'The script threw something that cannot be shown'
    let stack = ''
    if (thrown === REFUSED) {
      code = refusedCode
      message = refusedMessage
    } else {
      try {
        message = messageOf(thrown)
        stack = stackOf(thrown)
        if (message === 'RangeError: Array buffer allocation failed') code = 'SCRIPT_MEMORY'
      } catch {
        // The thrown value failed to read (a getter or a proxy that throws): keep the message above.
      }
    }
    return `"c":"${code}","e":${stringify(clip(message, LIMITS.errorChars))},"s":${stringify(clip(stack, LIMITS.stackChars))}`
  }

  /** JSON text of one of our own lists of texts. */
  function writeTexts(texts) {
    let out = '['
    for (let i = 0; i < texts.length; i++) out += (i > 0 ? ',' : '') + stringify(texts[i])
    return `${out}]`
  }

  // ---- console: kept on request, within limits

  let lines
  function lineOf(parts) {
    let line = ''
    for (let i = 0; i < parts.length && line.length <= LIMITS.consoleLineChars; i++) {
      size = 0
      const part = parts[i]
      let shown
      try {
        shown = typeof part === 'string' ? part : (write(part, 0) ?? text(part))
      } catch {
        shown = '[cannot be shown]'
      }
      line += (i > 0 ? ' ' : '') + clip(shown, LIMITS.consoleLineChars)
    }
    return clip(line, LIMITS.consoleLineChars)
  }

  function log(...parts) {
    const kept = lines
    if (kept === undefined || kept.length > LIMITS.consoleLines) return
    // A result may be half written: a getter in it may log.
    const before = size
    try {
      const line = kept.length === LIMITS.consoleLines ? '…' : lineOf(parts)
      kept[kept.length] = line
    } finally {
      size = before
    }
  }
  globalThis.console = { log, info: log, warn: log, error: log, debug: log, trace: log }

  globalThis.$answers = freeze({
    __proto__: null,
    LIMITS,
    DIGITS,
    list,
    uncurry,
    refuse,
    grow,
    clip,
    hexOf,
    messageOf,
    writeAnswer,
    writeFailure,
    writeTexts,
    /** Starts or stops keeping console lines; returns those kept until now. */
    keepLines(fresh) {
      const kept = lines
      lines = fresh
      return kept
    },
  })
})()
