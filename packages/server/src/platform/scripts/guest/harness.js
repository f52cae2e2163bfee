// Runs inside every isolate, after answers.js and families.js: runs batches of inputs through one script and notices
// when the script leaves something behind.
;(() => {
  const { writeAnswer, writeFailure, keepLines } = globalThis.$answers
  const { instantiate, entryOf, takeWarnings } = globalThis.$families
  delete globalThis.$answers
  delete globalThis.$families
  const { parse, stringify } = JSON
  const { getOwnPropertyNames, getOwnPropertyDescriptor, is } = Object
  const { ownKeys } = Reflect
  const now = Date.now
  const { min } = Math
  const objectPrototype = Object.prototype

  // ---- recognising scripts that leave something behind

  const watched = [globalThis]
  for (const name of getOwnPropertyNames(globalThis)) {
    const value = globalThis[name]
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) continue
    if (value === globalThis) continue
    watched[watched.length] = value
    if (typeof value === 'function' && value.prototype) watched[watched.length] = value.prototype
  }
  // Seldom changed ones are looked at now and then, these after every slice.
  const OFTEN = [
    globalThis,
    objectPrototype,
    Array.prototype,
    String.prototype,
    Number.prototype,
    Object,
    Array,
  ]

  function countKeys(objects) {
    let count = 0
    for (let i = 0; i < objects.length; i++) count += ownKeys(objects[i]).length
    return count
  }

  function fingerprint() {
    const values = []
    for (let i = 0; i < watched.length; i++) {
      const names = ownKeys(watched[i])
      for (let j = 0; j < names.length; j++) {
        const property = getOwnPropertyDescriptor(watched[i], names[j])
        // Regular expressions keep their last match here, which is nobody's state.
        if (watched[i] === RegExp) continue
        values[values.length] = property && 'value' in property ? property.value : names[j]
      }
    }
    return values
  }

  function same(before, after) {
    if (before.length !== after.length) return false
    for (let i = 0; i < before.length; i++) if (!is(before[i], after[i])) return false
    return true
  }

  // ---- one script in one context

  const PROBES = 16
  const PROBE_EVERY = 997
  const FULL_CHECK_EVERY = 64
  // A slice ends when its answers have grown so long.
  const SLICE_CHARS = 1048576

  /**
   * Called once per context. Answers a function that runs the inputs from `from` on and answers
   * `<inputs run>;<answers separated by commas>`, or `0!` when the script kept something in its own variables, or
   * `0#` when it changed built-in objects: then the slice has to be run again, better shielded.
   */
  globalThis.$harness = function create(factory, kind, options) {
    const script = setUp(factory, kind, options)
    const untouched = options.purity === 'context' ? () => true : watchBuiltIns(options.watched)
    let inputs = []
    return function run(json, from, limit, budgetMs, withConsole, entry) {
      if (limit < 0) return script.recognised()
      if (json !== undefined) inputs = parse(json)
      const last = min(from + limit, inputs.length)
      const slice = runSlice(script, inputs, { from, last, end: now() + budgetMs, entry, withConsole })
      if (slice === undefined) return '0!'
      if (!untouched()) return '0#'
      if (from + slice.ran >= inputs.length) inputs = []
      return `${slice.ran};${slice.out}`
    }
  }

  /** At least one input, then more until the time or the length is used up; undefined when the script is not pure. */
  function runSlice(script, inputs, { from, last, end, entry, withConsole }) {
    let out = ''
    let index = from
    do {
      const answer = answerOne(script, inputs[index], entry, withConsole)
      if (answer === undefined) return undefined
      out += `${index > from ? ',' : ''}{${answer}}`
      index++
    } while (index < last && out.length < SLICE_CHARS && now() < end)
    return { ran: index - from, out }
  }

  function setUp(factory, kind, options) {
    const pure = options.purity === 'pure'
    let instance = {}
    let failure
    let calls = 0
    try {
      instance = instantiate(factory, kind, options)
    } catch (thrown) {
      failure = writeFailure(thrown)
    }
    return {
      recognised() {
        const failed = failure === undefined ? '' : `,"failure":{${failure}}`
        return `{"family":${stringify(instance.family || null)},"encodes":${instance.encode !== undefined}${failed}}`
      },
      call(input, entry) {
        if (failure !== undefined) return failure
        try {
          if (!pure && calls > 0) instance = instantiate(factory, kind, options)
          calls++
          takeWarnings()
          const value = writeAnswer(entryOf(instance, kind, entry)(input))
          const warnings = takeWarnings()
          const warned = warnings === undefined ? '' : `,"w":${stringify(warnings)}`
          return (value === undefined ? '"u":1' : `"v":${value}`) + warned
        } catch (thrown) {
          return writeFailure(thrown)
        }
      },
      /** Whether it is time to look if the script answers the same again. */
      isProbe: () => pure && (calls < PROBES || calls % PROBE_EVERY === 0),
    }
  }

  /** The answer to one input; undefined when a second try answered something else. */
  function answerOnce(script, input, entry) {
    if (!script.isProbe()) return script.call(input, entry)
    // The call may change its own input, so the second one needs a copy from before.
    const before = stringify(input)
    const answer = script.call(input, entry)
    const lines = keepLines(undefined)
    const again = script.call(parse(before), entry)
    keepLines(lines)
    return answer === again ? answer : undefined
  }

  function answerOne(script, input, entry, withConsole) {
    if (!withConsole) return answerOnce(script, input, entry)
    keepLines([])
    const answer = answerOnce(script, input, entry)
    const lines = keepLines(undefined)
    return answer === undefined ? undefined : `${answer},"l":${stringify(lines)}`
  }

  /**
   * Answers a function that says whether the built-in objects are still as they are now: the usual ones after every
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
})()
