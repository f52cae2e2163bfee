const rate = 8000

/** A sound as a WAV file, one byte for each of 8000 samples per second. @param sampleAt from -1 to 1, by seconds */
function wavOf(seconds: number, sampleAt: (second: number) => number): Blob {
  const count = Math.round(seconds * rate)
  const bytes = new Uint8Array(44 + count)
  const view = new DataView(bytes.buffer)
  const text = (at: number, letters: string) => {
    for (const [index, letter] of [...letters].entries()) view.setUint8(at + index, letter.charCodeAt(0))
  }
  text(0, 'RIFF')
  view.setUint32(4, 36 + count, true)
  text(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, rate, true)
  view.setUint32(28, rate, true)
  view.setUint16(32, 1, true)
  view.setUint16(34, 8, true)
  text(36, 'data')
  view.setUint32(40, count, true)
  for (let index = 0; index < count; index++)
    bytes[44 + index] = 128 + Math.round(127 * sampleAt(index / rate))
  return new Blob([bytes], { type: 'audio/wav' })
}

/** Two tones and a rest: for monitors without a sound of their own. */
export function alarmTone(): Blob {
  return wavOf(1.6, (second) => {
    if (second >= 1.2) return 0
    const pitch = second % 0.6 < 0.3 ? 880 : 660
    return 0.8 * Math.sign(Math.sin(2 * Math.PI * pitch * second))
  })
}

/** Nothing to hear: whether the browser plays it tells whether it would play an alarm. */
export function silence(): Blob {
  return wavOf(0.1, () => 0)
}
