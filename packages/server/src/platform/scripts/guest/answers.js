// Runs inside every isolate, never in the server: part of the start-up snapshot, first of our files.
// Writes what scripts answer, throw and log as JSON text, within the limits and without trusting any of it. What it
// needs of the language it keeps, so that a script that changes built-in objects only harms itself.
// The limits are put in by sandbox/preload.ts.
;(() => {
  const LIMITS = __LIMITS__
  const { stringify } = JSON
  const { keys, getPrototypeOf } = Object
  const { isArray } = Array
  const { isFinite: isNumber, isSafeInteger } = Number
  const { isView } = ArrayBuffer
  const { apply } = Reflect
  const text = String
  const [RealDate, RealMap, RealSet, RealPromise, RealError] = [Date, Map, Set, Promise, Error]
  const Bytes = Uint8Array
  const objectPrototype = Object.prototype
  const { getTime, toISOString } = Date.prototype
  const forEachOfMap = Map.prototype.forEach
  const forEachOfSet = Set.prototype.forEach
  const boxes = [Number, String, Boolean].map((box) => [box, box.prototype.valueOf])

  // ---- refusals: failures that the sandbox itself reports

  const refusals = new WeakSet()
  const isRefusal = refusals.has.bind(refusals)
  const addRefusal = refusals.add.bind(refusals)
  function refuse(code, message) {
    const refusal = { code, message }
    addRefusal(refusal)
    return refusal
  }

  // ---- answers: any JavaScript value to JSON text, within the limits

  let size = 0
  function grow(chars) {
    size += chars
    if (size > LIMITS.outputChars)
      throw refuse('SCRIPT_OUTPUT_TOO_LARGE', `The answer is larger than ${LIMITS.outputChars} characters`)
  }

  function quote(value) {
    grow(value.length + 2)
    return stringify(value)
  }

  const DIGITS = '0123456789abcdef'
  function hexOf(view) {
    const bytes = isView(view) ? new Bytes(view.buffer, view.byteOffset, view.byteLength) : new Bytes(view)
    grow(bytes.length * 2 + 2)
    let hex = ''
    for (let i = 0; i < bytes.length; i++) hex += DIGITS[bytes[i] >> 4] + DIGITS[bytes[i] & 15]
    return hex
  }

  function writeArray(value, depth) {
    let out = '['
    for (let i = 0; i < value.length; i++) {
      grow(1)
      if (i > 0) out += ','
      const item = write(value[i], depth + 1)
      out += item === undefined ? 'null' : item
    }
    return `${out}]`
  }

  function writeEntry(out, key, value, depth) {
    // A key of this name could reach the prototype of whoever copies the answer.
    if (key === '__proto__') return out
    const item = write(value, depth + 1)
    if (item === undefined) return out
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
    const time = apply(getTime, value, [])
    return isNumber(time) ? quote(apply(toISOString, value, [])) : 'null'
  }

  function writeMap(value, depth) {
    let out = '{'
    apply(forEachOfMap, value, [
      (item, key) => {
        out = writeEntry(out, text(key), item, depth)
      },
    ])
    return `${out}}`
  }

  function writeSet(value, depth) {
    const items = []
    apply(forEachOfSet, value, [
      (item) => {
        grow(1)
        items[items.length] = item
      },
    ])
    return writeArray(items, depth)
  }

  function writeSpecial(value, depth) {
    if (isView(value)) {
      const asBytes = is(value, Bytes) || is(value, Uint8ClampedArray) || is(value, DataView)
      return asBytes ? `"${hexOf(value)}"` : writeArray(value, depth)
    }
    if (is(value, ArrayBuffer)) return `"${hexOf(value)}"`
    if (is(value, RealDate)) return writeDate(value)
    if (is(value, RealMap)) return writeMap(value, depth)
    if (is(value, RealSet)) return writeSet(value, depth)
    if (is(value, RealError)) return quote(text(value.message))
    for (let i = 0; i < boxes.length; i++)
      if (is(value, boxes[i][0])) return write(apply(boxes[i][1], value, []), depth)
    return writeFields(value, depth)
  }

  function writeBigInt(value) {
    // A large one is cheap to make and slow to spell out.
    if (BigInt.asIntN(256, value) !== value)
      throw refuse('SCRIPT_OUTPUT_INVALID', 'The answer holds an integer of more than 256 bits')
    return isSafeInteger(Number(value)) ? `${value}` : quote(`${value}`)
  }

  function writeObject(value, depth) {
    if (value === null) return 'null'
    if (depth >= LIMITS.outputDepth)
      throw refuse('SCRIPT_OUTPUT_INVALID', `The answer is nested deeper than ${LIMITS.outputDepth} levels`)
    grow(2)
    if (isArray(value)) return writeArray(value, depth)
    const prototype = getPrototypeOf(value)
    if (prototype === objectPrototype || prototype === null) return writeFields(value, depth)
    return writeSpecial(value, depth)
  }

  /** JSON text of a value; undefined for what JSON leaves out: undefined, functions, symbols. */
  function write(value, depth) {
    switch (typeof value) {
      case 'string':
        return quote(value)
      case 'number':
        grow(4)
        return isNumber(value) ? `${value === 0 ? 0 : value}` : 'null'
      case 'boolean':
        grow(4)
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

  // ---- errors: whatever was thrown to text, without trusting it

  function clip(value, chars) {
    return value.length > chars ? `${value.slice(0, chars)}…` : value
  }

  function describe(thrown) {
    if (typeof thrown !== 'object' || thrown === null) return { message: text(thrown), stack: '' }
    const { name, message, stack } = thrown
    const own = typeof message === 'string' && message !== '' ? message : undefined
    const title = typeof name === 'string' && name !== 'Error' && own !== undefined ? `${name}: ` : ''
    size = 0
    return {
      message: own === undefined ? (write(thrown, LIMITS.outputDepth - 3) ?? '') : title + own,
      stack: typeof stack === 'string' ? stack : '',
    }
  }

  function writeFailure(thrown) {
    let code = 'SCRIPT_ERROR'
    let message = 'The script threw something that cannot be shown'
    let stack = ''
    try {
      if (typeof thrown === 'object' && thrown !== null && isRefusal(thrown)) {
        code = thrown.code
        message = thrown.message
      } else {
        const described = describe(thrown)
        message = described.message
        stack = described.stack
        if (message === 'RangeError: Array buffer allocation failed') code = 'SCRIPT_MEMORY'
      }
    } catch {
      // The thrown value fought back (a getter or a proxy that throws): the message above stands.
    }
    return `"c":"${code}","e":${stringify(clip(message, LIMITS.errorChars))},"s":${stringify(clip(stack, 1000))}`
  }

  // ---- console: kept when someone looks, within bounds

  let lines
  function log(...parts) {
    if (lines === undefined || lines.length > LIMITS.consoleLines) return
    if (lines.length === LIMITS.consoleLines) {
      lines[lines.length] = '…'
      return
    }
    const before = size
    let line = ''
    for (let i = 0; i < parts.length; i++) {
      size = 0
      const part = parts[i]
      let shown
      try {
        shown = typeof part === 'string' ? part : (write(part, 0) ?? text(part))
      } catch {
        shown = '[cannot be shown]'
      }
      line += (i > 0 ? ' ' : '') + shown
    }
    size = before
    lines[lines.length] = clip(line, LIMITS.consoleLineChars)
  }
  globalThis.console = { log, info: log, warn: log, error: log, debug: log, trace: log }

  globalThis.$answers = {
    LIMITS,
    DIGITS,
    Bytes,
    refuse,
    grow,
    clip,
    hexOf,
    describe,
    writeAnswer,
    writeFailure,
    /** Starts or stops keeping console lines; answers what was kept until now. */
    keepLines(fresh) {
      const kept = lines
      lines = fresh
      return kept
    },
  }
})()
