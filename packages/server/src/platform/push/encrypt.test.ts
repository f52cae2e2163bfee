import { createECDH } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { openPush } from '../../../test/pushService.ts'
import { areKeys, encryptPush, pushBytesMax } from './encrypt.ts'

const bytes = (text: string) => Buffer.from(text, 'base64url')

/** The example of RFC 8291, appendix A. */
const example = {
  text: 'When I grow up, I want to be a watermelon',
  privateKey: bytes('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'),
  salt: bytes('DGv6ra1nlYgDCS1FRnbzlw'),
  keys: {
    p256dh: bytes('BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4'),
    auth: bytes('BTBZMqHH6r4Tts7J_aSIgg'),
  },
  browserKey: bytes('q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94'),
  message:
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
}

describe('a push message', () => {
  it('is encrypted like the example of RFC 8291', () => {
    const { text, keys, privateKey, salt, message } = example
    expect(encryptPush(Buffer.from(text), keys, { salt, privateKey }).toString('base64url')).toBe(message)
  })

  it('is different each time, and read by the browser only', () => {
    const { text, keys, browserKey } = example
    const [one, other] = [encryptPush(Buffer.from(text), keys), encryptPush(Buffer.from(text), keys)]
    expect(one.equals(other)).toBe(false)
    for (const message of [one, other])
      expect(openPush(message, { privateKey: browserKey, auth: keys.auth }).toString()).toBe(text)
  })

  it('fits into one record', () => {
    const message = encryptPush(Buffer.alloc(pushBytesMax), example.keys)
    expect(message).toHaveLength(4096)
    expect(() => encryptPush(Buffer.alloc(pushBytesMax + 1), example.keys)).toThrow(RangeError)
  })
})

describe('keys of a subscription', () => {
  const browser = createECDH('prime256v1')
  const p256dh = browser.generateKeys()
  const auth = Buffer.alloc(16)
  it.each([
    [{ p256dh, auth }, true],
    [{ p256dh: p256dh.subarray(1), auth }, false],
    [{ p256dh: Buffer.alloc(65, 4), auth }, false],
    [{ p256dh, auth: Buffer.alloc(15) }, false],
    [{ p256dh: Buffer.alloc(0), auth }, false],
  ])('%# can be used: %s', (keys, can) => {
    expect(areKeys(keys)).toBe(can)
  })
})
