// Runs inside every isolate, after answers.js and by its rules. The calling conventions of scripts: detects
// them, creates new arguments for each call, and unwraps results of the form { data, warnings, errors }.
;(() => {
  const { LIMITS, DIGITS, list, uncurry, refuse, grow, clip, hexOf, messageOf } = globalThis.$answers
  const { parse } = JSON
  const { freeze, keys } = Object
  const { isArray } = Array
  const { isSafeInteger } = Number
  const { isView } = ArrayBuffer
  const { apply } = Reflect
  const charCodeAt = uncurry(String.prototype.charCodeAt)
  const RealDate = Date

  // ---- arguments: new for every call

  /** Value of a hexadecimal digit by its character code, 16 if it is not one. */
  const NIBBLE = new Uint8Array(128).fill(16)
  for (let i = 0; i < 16; i++) {
    NIBBLE[DIGITS.charCodeAt(i)] = i
    NIBBLE[DIGITS.toUpperCase().charCodeAt(i)] = i
  }
  const nibbleAt = (hex, i) => {
    const code = charCodeAt(hex, i)
    return code < 128 ? NIBBLE[code] : 16
  }

  function bytesOf(input) {
    const hex = input.bytes
    if (typeof hex !== 'string')
      throw refuse('SCRIPT_INPUT_INVALID', 'This script decodes bytes, and the message carries none')
    const bytes = []
    for (let i = 0; i + 1 < hex.length; i += 2)
      bytes[i >> 1] = ((nibbleAt(hex, i) & 15) << 4) | (nibbleAt(hex, i + 1) & 15)
    return bytes
  }

  function payloadOf(input) {
    if (input.bytes !== undefined) return input.bytes
    return input.json === undefined ? input.payload : parse(input.json)
  }

  function metaOf(input) {
    const meta = input.meta || {}
    if (input.time !== undefined && meta.time === undefined) meta.time = input.time
    if (input.fPort !== undefined) {
      if (typeof meta.lora !== 'object' || meta.lora === null) meta.lora = {}
      if (meta.lora.fport === undefined) meta.lora.fport = input.fPort
    }
    return meta
  }

  // ---- calling conventions

  let warnings
  /** Reports as texts; undefined where there are none, the usual case. */
  function reported(reports) {
    if (reports === undefined || reports === null) return undefined
    const out = list()
    if (!isArray(reports)) {
      out[0] = reportOf(reports)
      return out
    }
    for (let i = 0; i < reports.length && i < LIMITS.consoleLines; i++) out[i] = reportOf(reports[i])
    return out.length > 0 ? out : undefined
  }

  function reportOf(report) {
    return clip(typeof report === 'string' ? report : messageOf(report), LIMITS.errorChars)
  }

  function joined(texts) {
    let out = ''
    for (let i = 0; i < texts.length; i++) out += (i > 0 ? '; ' : '') + texts[i]
    return out
  }

  /** Unwraps the result `{ data, warnings, errors }` of decodeUplink and encodeDownlink. */
  function unpack(answer, field, name) {
    if (typeof answer !== 'object' || answer === null)
      throw refuse('SCRIPT_OUTPUT_INVALID', `${name} has to answer with an object`)
    const errors = reported(answer.errors)
    if (errors !== undefined) throw refuse('SCRIPT_ERROR', joined(errors))
    if (!(field in answer))
      throw refuse('SCRIPT_OUTPUT_INVALID', `The answer of ${name} has no field ${field}`)
    const warned = reported(answer.warnings)
    if (warned !== undefined) warnings = warned
    return answer
  }

  const DECODERS = freeze({
    __proto__: null,
    function: (fn) => (input) => fn(payloadOf(input), metaOf(input)),
    decodeUplink: (fn, options) => (input) => {
      const recvTime = options.recvTime === 'iso' ? input.time : new RealDate(input.time)
      const given = { bytes: bytesOf(input), fPort: input.fPort, variables: input.variables || {} }
      if (input.time !== undefined) given.recvTime = recvTime
      return unpack(fn(given), 'data', 'decodeUplink').data
    },
    Decoder: (fn) => (input) => fn(bytesOf(input), input.fPort),
    Decode: (fn) => (input) => fn(input.fPort, bytesOf(input), input.variables || {}),
  })

  /** Hexadecimal text in lower case; undefined if it is not hexadecimal. */
  function hexOfText(value) {
    if (value.length % 2 !== 0) return undefined
    let hex = ''
    for (let i = 0; i < value.length; i++) {
      grow(1)
      const nibble = nibbleAt(value, i)
      if (nibble > 15) return undefined
      hex += DIGITS[nibble]
    }
    return hex
  }

  function hexOfList(bytes) {
    let hex = ''
    for (let i = 0; i < bytes.length; i++) {
      grow(2)
      const byte = bytes[i]
      if (!isSafeInteger(byte) || byte < -128 || byte > 255)
        throw refuse('SCRIPT_OUTPUT_INVALID', `Byte ${i} of the downlink is not between 0 and 255`)
      hex += DIGITS[(byte >> 4) & 15] + DIGITS[byte & 15]
    }
    return hex
  }

  /** Bytes of a downlink, which encoders return as array, hexadecimal text, or Buffer. */
  function downlinkBytes(bytes) {
    const hex = typeof bytes === 'string' ? hexOfText(bytes) : undefined
    if (hex !== undefined) return hex
    if (isView(bytes)) return hexOf(bytes)
    if (!isArray(bytes)) throw refuse('SCRIPT_OUTPUT_INVALID', 'The encoder answered without bytes')
    return hexOfList(bytes)
  }

  const ENCODERS = freeze({
    __proto__: null,
    encodeDownlink: (fn) => (input) => {
      const given = { data: input.data, fPort: input.fPort, variables: input.variables || {} }
      const answer = unpack(fn(given), 'bytes', 'encodeDownlink')
      return { fPort: answer.fPort ?? input.fPort, bytes: downlinkBytes(answer.bytes) }
    },
    Encoder: (fn) => (input) => ({ fPort: input.fPort, bytes: downlinkBytes(fn(input.data, input.fPort)) }),
    Encode: (fn) => (input) => ({
      fPort: input.fPort,
      bytes: downlinkBytes(fn(input.fPort, input.data, input.variables || {})),
    }),
  })

  const BODIES = freeze({
    __proto__: null,
    transformer: (fn) => (input) => fn(input.value, input.meta || {}, input.values || []),
    filter: predicate,
    condition: predicate,
    value: answer,
  })

  function predicate(fn, options) {
    const ask = answer(fn, options)
    return (input) => !!ask(input)
  }

  function answer(fn, options) {
    const names = options.parameters
    return (input) => {
      const variables = input.variables || {}
      const given = [variables, input.metrics || {}, input.meta || {}]
      for (let i = 0; i < names.length; i++) given[i + 3] = variables[names[i]]
      return apply(fn, undefined, given)
    }
  }

  /** Name of the first convention in a table that a script follows. */
  function pick(table, found) {
    const names = keys(table)
    for (let i = 0; i < names.length; i++) if (typeof found[names[i]] === 'function') return names[i]
    return undefined
  }

  const NAMES = freeze(['decodeUplink', 'Decoder', 'Decode', 'encodeDownlink', 'Encoder', 'Encode'])
  const TEMPLATES = freeze({ __proto__: null, function: 1 })

  function functionsOf(factory) {
    const module = { exports: {} }
    const local = factory(module, module.exports) || {}
    const exported = module.exports
    const found = { __proto__: null }
    for (let i = 0; i < NAMES.length; i++) {
      const name = NAMES[i]
      const outside = exported === undefined || exported === null ? undefined : exported[name]
      found[name] = typeof outside === 'function' ? outside : local[name]
    }
    if (typeof exported === 'function' && exported !== found.decodeUplink) found.function = exported
    return found
  }

  /** Runs the source once and finds its functions: `{ family, decode, encode }`, undefined where missing. */
  function instantiate(factory, kind, options) {
    if (BODIES[kind] !== undefined)
      return {
        __proto__: null,
        family: 'body',
        decode: BODIES[kind](factory(), options),
        encode: undefined,
      }
    const found = functionsOf(factory)
    const decoder = pick(kind === 'template' ? TEMPLATES : DECODERS, found)
    const encoder = kind === 'driver' ? pick(ENCODERS, found) : undefined
    return {
      __proto__: null,
      family: decoder,
      decode: decoder && DECODERS[decoder](found[decoder], options),
      encode: encoder && ENCODERS[encoder](found[encoder], options),
    }
  }

  const MISSING = freeze({
    __proto__: null,
    driver: 'The driver needs module.exports = function (payload, meta), decodeUplink, Decoder or Decode',
    template: 'The template needs module.exports = function (payload, meta)',
  })

  function entryOf(instance, kind, entry) {
    if (entry === 'encode') {
      if (!instance.encode)
        throw refuse('SCRIPT_NO_FUNCTION', 'The driver has no encodeDownlink, Encoder or Encode')
      return instance.encode
    }
    if (!instance.decode) throw refuse('SCRIPT_NO_FUNCTION', MISSING[kind])
    return instance.decode
  }

  globalThis.$families = freeze({
    __proto__: null,
    instantiate,
    entryOf,
    /** Warnings of the last call; reading clears them. */
    takeWarnings() {
      const taken = warnings
      warnings = undefined
      return taken
    },
  })
})()
