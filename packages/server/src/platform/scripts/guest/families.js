// Runs inside every isolate, after answers.js. The calling conventions that scripts follow: recognises them, builds
// fresh arguments for each call, and unwraps the answers that are agreed as { data, warnings, errors }.
;(() => {
  const { LIMITS, DIGITS, Bytes, refuse, grow, clip, hexOf, describe } = globalThis.$answers
  const { parse } = JSON
  const { keys } = Object
  const { isArray } = Array
  const { isSafeInteger } = Number
  const { isView } = ArrayBuffer
  const { apply } = Reflect
  const RealDate = Date

  // ---- arguments: fresh for every call

  const NIBBLE = new Bytes(128)
  for (let i = 0; i < 16; i++) {
    NIBBLE[DIGITS.charCodeAt(i)] = i
    NIBBLE[DIGITS.toUpperCase().charCodeAt(i)] = i
  }

  function bytesOf(input) {
    const hex = input.bytes
    if (typeof hex !== 'string')
      throw refuse('SCRIPT_INPUT_INVALID', 'This script decodes bytes, and the message carries none')
    const bytes = []
    for (let i = 0; i + 1 < hex.length; i += 2)
      bytes[i >> 1] = (NIBBLE[hex.charCodeAt(i) & 127] << 4) | NIBBLE[hex.charCodeAt(i + 1) & 127]
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
  function reported(list) {
    if (list === undefined || list === null) return []
    const items = isArray(list) ? list : [list]
    const out = []
    for (let i = 0; i < items.length && i < LIMITS.consoleLines; i++)
      out[i] = clip(typeof items[i] === 'string' ? items[i] : describe(items[i]).message, LIMITS.errorChars)
    return out
  }

  /** The agreed answer `{ data, warnings, errors }` of decodeUplink and encodeDownlink. */
  function unpack(answer, field, name) {
    if (typeof answer !== 'object' || answer === null)
      throw refuse('SCRIPT_OUTPUT_INVALID', `${name} has to answer with an object`)
    const errors = reported(answer.errors)
    if (errors.length > 0) throw refuse('SCRIPT_ERROR', errors.join('; '))
    if (!(field in answer))
      throw refuse('SCRIPT_OUTPUT_INVALID', `The answer of ${name} has no field ${field}`)
    const warned = reported(answer.warnings)
    if (warned.length > 0) warnings = warned
    return answer
  }

  const DECODERS = {
    function: (fn) => (input) => fn(payloadOf(input), metaOf(input)),
    decodeUplink: (fn, options) => (input) => {
      const recvTime = options.recvTime === 'iso' ? input.time : new RealDate(input.time)
      const given = { bytes: bytesOf(input), fPort: input.fPort, variables: input.variables || {} }
      if (input.time !== undefined) given.recvTime = recvTime
      return unpack(fn(given), 'data', 'decodeUplink').data
    },
    Decoder: (fn) => (input) => fn(bytesOf(input), input.fPort),
    Decode: (fn) => (input) => fn(input.fPort, bytesOf(input), input.variables || {}),
  }

  /** Bytes of a downlink, which encoders give as array, hexadecimal text, or Buffer. */
  function downlinkBytes(bytes) {
    if (typeof bytes === 'string' && /^([0-9a-f]{2})*$/i.test(bytes)) return bytes.toLowerCase()
    if (isView(bytes)) return hexOf(bytes)
    if (!isArray(bytes)) throw refuse('SCRIPT_OUTPUT_INVALID', 'The encoder answered without bytes')
    for (let i = 0; i < bytes.length; i++) {
      grow(2)
      const byte = bytes[i]
      if (!isSafeInteger(byte) || byte < -128 || byte > 255)
        throw refuse('SCRIPT_OUTPUT_INVALID', `Byte ${i} of the downlink is not between 0 and 255`)
    }
    return hexOf(Bytes.from(bytes))
  }

  const ENCODERS = {
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
  }

  const BODIES = {
    transformer: (fn) => (input) => fn(input.value, input.meta || {}, input.values || []),
    filter: predicate,
    condition: predicate,
  }

  function predicate(fn, options) {
    const names = options.parameters
    return (input) => {
      const variables = input.variables || {}
      const given = [variables, input.metrics || {}, input.meta || {}]
      for (let i = 0; i < names.length; i++) given[i + 3] = variables[names[i]]
      return !!apply(fn, undefined, given)
    }
  }

  function pick(table, found) {
    const names = keys(table)
    for (let i = 0; i < names.length; i++)
      if (typeof found[names[i]] === 'function') return [names[i], found[names[i]]]
    return undefined
  }

  /** Runs the source once and finds its functions: `{ family, decode, encodeFamily, encode }`. */
  function instantiate(factory, kind, options) {
    if (BODIES[kind] !== undefined) return { family: 'body', decode: BODIES[kind](factory(), options) }
    const module = { exports: {} }
    const local = factory(module, module.exports) || {}
    const exported = module.exports
    const found = {}
    for (const name of ['decodeUplink', 'Decoder', 'Decode', 'encodeDownlink', 'Encoder', 'Encode']) {
      const outside = exported === undefined || exported === null ? undefined : exported[name]
      found[name] = typeof outside === 'function' ? outside : local[name]
    }
    if (typeof exported === 'function' && exported !== found.decodeUplink) found.function = exported
    const decoder = kind === 'template' ? pick({ function: 1 }, found) : pick(DECODERS, found)
    const encoder = kind === 'driver' ? pick(ENCODERS, found) : undefined
    return {
      family: decoder?.[0],
      decode: decoder && DECODERS[decoder[0]](decoder[1], options),
      encode: encoder && ENCODERS[encoder[0]](encoder[1], options),
    }
  }

  const MISSING = {
    driver: 'The driver needs module.exports = function (payload, meta), decodeUplink, Decoder or Decode',
    template: 'The template needs module.exports = function (payload, meta)',
  }

  function entryOf(instance, kind, entry) {
    if (entry === 'encode') {
      if (!instance.encode)
        throw refuse('SCRIPT_NO_FUNCTION', 'The driver has no encodeDownlink, Encoder or Encode')
      return instance.encode
    }
    if (!instance.decode) throw refuse('SCRIPT_NO_FUNCTION', MISSING[kind])
    return instance.decode
  }

  globalThis.$families = {
    instantiate,
    entryOf,
    /** Warnings of the last call; asking for them clears them. */
    takeWarnings() {
      const taken = warnings
      warnings = undefined
      return taken
    },
  }
})()
