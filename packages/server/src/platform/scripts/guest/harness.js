// Runs inside every isolate, after answers.js and families.js and by their rules: runs batches of inputs
// through one script and detects when the script leaves state behind.
;(() => {
  const { LIMITS, list, writeAnswer, writeFailure, writeTexts, keepLines } = globalThis.$answers
  const { instantiate, entryOf, takeWarnings } = globalThis.$families
  delete globalThis.$answers
  delete globalThis.$families
  const { parse, stringify } = JSON
  const { freeze, getOwnPropertyNames, getOwnPropertyDescriptor, hasOwn, is } = Object
  const { ownKeys } = Reflect
  const now = Date.now
  const { min } = Math
  const RealFunction = Function
  const RealRegExp = RegExp

  // ---- detecting scripts that leave state behind

  const watched = list()
  watched[0] = globalThis
  for (const name of getOwnPropertyNames(globalThis)) {
    const value = globalThis[name]
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) continue
    if (value === globalThis) continue
    watched[watched.length] = value
    if (typeof value === 'function' && value.prototype) watched[watched.length] = value.prototype
  }
  freeze(watched)
  // These are checked after every slice, rarely changed ones only now and then.
  const OFTEN = freeze([
    globalThis,
    Object.prototype,
    Array.prototype,
    String.prototype,
    Number.prototype,
    Object,
    Array,
  ])

  function countKeys(objects) {
    let count = 0
    for (let i = 0; i < objects.length; i++) count += ownKeys(objects[i]).length
    return count
  }

  function fingerprint() {
    const values = list()
    for (let i = 0; i < watched.length; i++) {
      const names = ownKeys(watched[i])
      for (let j = 0; j < names.length; j++) {
        // Regular expressions keep their last match here, which does not count as state.
        if (watched[i] === RealRegExp) continue
        const property = getOwnPropertyDescriptor(watched[i], names[j])
        values[values.length] = property && hasOwn(property, 'value') ? property.value : names[j]
      }
    }
    return values
  }

  function same(before, after) {
    if (before.length !== after.length) return false
    for (let i = 0; i < before.length; i++) if (!is(before[i], after[i])) return false
    return true
  }

  /**
   * Returns a function that checks whether the built-in objects are unchanged: the common ones after every
   * slice, all of them `always`, `at times` or `never`.
   */
  function watchBuiltIns(often) {
    const baseline = often === 'never' ? undefined : fingerprint()
    const every = often === 'always' ? 1 : FULL_CHECK_EVERY
    const counts = countKeys(OFTEN)
    let slices = 0
    return () => {
      if (countKeys(OFTEN) !== counts) return false
      if (baseline === undefined) return true
      return slices++ % every !== 0 || same(baseline, fingerprint())
    }
  }

  // ---- one script in one context

  const PROBES = 16
  const PROBE_EVERY = 997
  const FULL_CHECK_EVERY = 64
  // A slice ends when its results have reached this length.
  const SLICE_CHARS = 262144
  // Special value instead of a number of inputs: returns the script's classification.
  const RECOGNISE = -1

  /**
   * Called once per context; returns the function through which the sandbox's own code calls the script. It
   * runs the inputs from `from` on. It returns a text within the limit of a slice, or the length of a longer
   * one, which stays here. The text is `<inputs run>;<results separated by commas>`, or `0!` when the script
   * kept state in its own variables, or `0#` when it changed built-in objects: then the slice has to run
   * again with more isolation. With `limit` RECOGNISE it is the script's classification.
   */
  function create(factory, kind, options) {
    const pure = options.purity === 'pure'
    let instance = { __proto__: null }
    let failure
    let calls = 0
    try {
      instance = instantiate(factory, kind, options)
    } catch (thrown) {
      failure = writeFailure(thrown)
    }
    const untouched = options.purity === 'context' ? () => true : watchBuiltIns(options.watched)
    let batch = ''
    let inputs
    let copies

    function recognised() {
      const failed = failure === undefined ? '' : `,"failure":{${failure}}`
      return `{"family":${stringify(instance.family || null)},"encodes":${instance.encode !== undefined}${failed}}`
    }

    function answer(input, entry) {
      if (failure !== undefined) return failure
      try {
        if (!pure && calls > 0) instance = instantiate(factory, kind, options)
        calls++
        takeWarnings()
        const value = writeAnswer(entryOf(instance, kind, entry)(input))
        const warnings = takeWarnings()
        const warned = warnings === undefined ? '' : `,"w":${writeTexts(warnings)}`
        return (value === undefined ? '"u":1' : `"v":${value}`) + warned
      } catch (thrown) {
        return writeFailure(thrown)
      }
    }

    /** The result for one input; undefined when a second run, made now and then, returned something else. */
    function answerTwice(index, entry) {
      if (!pure || (calls >= PROBES && calls % PROBE_EVERY !== 0)) return answer(inputs[index], entry)
      // The call may change its own input, so the second one gets a copy made before.
      if (copies === undefined) copies = parse(batch)
      const first = answer(inputs[index], entry)
      const lines = keepLines(undefined)
      const second = answer(copies[index], entry)
      keepLines(lines)
      return first === second ? first : undefined
    }

    function answerOne(index, entry, withConsole) {
      if (!withConsole) return answerTwice(index, entry)
      keepLines(list())
      const found = answerTwice(index, entry)
      const lines = keepLines(undefined)
      return found === undefined ? undefined : `${found},"l":${writeTexts(lines)}`
    }

    /** At least one input, then more until the limit of time or length is reached. */
    function runSlice(from, last, end, withConsole, entry) {
      let out = ''
      let index = from
      do {
        const found = answerOne(index, entry, withConsole)
        if (found === undefined) return '0!'
        out += `${index > from ? ',' : ''}{${found}}`
        index++
      } while (index < last && out.length < SLICE_CHARS && now() < end)
      if (!untouched()) return '0#'
      if (index >= inputs.length) load('[]')
      return `${index - from};${out}`
    }

    function load(json) {
      batch = json
      inputs = parse(json)
      copies = undefined
    }

    return function speak(json, from, limit, budgetMs, withConsole, entry) {
      if (limit === RECOGNISE) return leaving(recognised())
      if (json !== undefined) load(json)
      const last = min(from + limit, inputs.length)
      return leaving(runSlice(from, last, now() + budgetMs, withConsole, entry))
    }
  }

  /** A text that may leave the isolate; for a longer one its length. */
  function leaving(text) {
    return text.length <= LIMITS.sliceChars ? text : text.length
  }

  /** Whether V8 accepts a text as a complete function body, rather than one that closes it and continues. */
  function isBody(source) {
    try {
      new RealFunction(source)
      return true
    } catch {
      return false
    }
  }

  globalThis.$harness = freeze({ __proto__: null, create, isBody })
})()
