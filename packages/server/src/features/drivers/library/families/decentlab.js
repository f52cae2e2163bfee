// What Decentlab's devices have in common: groups of words, told apart by flags. A driver says in GROUPS what each group means.

function decodeUplink(input) {
  const bytes = input.bytes
  if (bytes.length < 5) return { errors: ['The message is too short'] }
  if (bytes[0] !== 2) return { errors: [`Version ${bytes[0]} of the protocol is not known`] }
  function word(at) {
    return (bytes[at] << 8) | bytes[at + 1]
  }
  const flags = word(3)
  const data = {}
  let at = 5
  for (let group = 0; group < GROUPS.length; group++) {
    if (!(flags & (1 << group))) continue
    const words = []
    for (let i = 0; i < GROUPS[group].words; i++, at += 2) words.push(word(at))
    if (at > bytes.length) return { errors: ['The message is shorter than it says'] }
    Object.assign(data, GROUPS[group].read(words))
  }
  return { data }
}
