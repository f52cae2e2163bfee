import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto'
import { startReceiver, type TestReceiver } from './receiver.ts'

/** A push message as a browser decrypts it, after RFC 8291 and RFC 8188. @throws when it is not for this browser */
export function openPush(message: Buffer, browser: { privateKey: Buffer; auth: Buffer }): Buffer {
  const salt = message.subarray(0, 16)
  const keyLength = message.readUInt8(20)
  const sender = message.subarray(21, 21 + keyLength)
  const body = message.subarray(21 + keyLength)
  const own = createECDH('prime256v1')
  own.setPrivateKey(browser.privateKey)
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), own.getPublicKey(), sender])
  const derive = (secret: Buffer, with_: Buffer, about: Buffer | string, length: number) =>
    Buffer.from(hkdfSync('sha256', secret, with_, about, length))
  const secret = derive(own.computeSecret(sender), browser.auth, info, 32)
  const key = derive(secret, salt, 'Content-Encoding: aes128gcm\0', 16)
  const nonce = derive(secret, salt, 'Content-Encoding: nonce\0', 12)
  const decipher = createDecipheriv('aes-128-gcm', key, nonce)
  decipher.setAuthTag(body.subarray(-16))
  const plain = Buffer.concat([decipher.update(body.subarray(0, -16)), decipher.final()])
  const end = plain.lastIndexOf(2)
  return plain.subarray(0, end)
}

/** The claims of a VAPID header (RFC 8292). @throws when its signature is wrong */
export function openVapid(header: string | undefined): {
  aud: string
  exp: number
  sub: string
  key: string
} {
  const [, token = '', key = ''] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(header ?? '') ?? []
  const [head = '', claims = '', signature = ''] = token.split('.')
  const point = Buffer.from(key, 'base64url')
  const publicKey = createPublicKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
    },
  })
  const isRight = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  if (!isRight) throw new Error('the signature is wrong')
  return { ...JSON.parse(Buffer.from(claims, 'base64url').toString()), key }
}

/** A browser with a subscription at a push service. */
export function createBrowser(service: TestReceiver, name: string) {
  const pair = createECDH('prime256v1')
  const p256dh = pair.generateKeys()
  const auth = randomBytes(16)
  const path = `/push/${name}/${randomBytes(8).toString('hex')}`
  return {
    path,
    subscription: {
      endpoint: service.url + path,
      keys: { p256dh: p256dh.toString('base64url'), auth: auth.toString('base64url') },
      label: name,
    },
    /** what it has been sent */
    received: () =>
      service.received
        .filter((request) => request.path === path)
        .map((request) => ({
          headers: request.headers,
          message: JSON.parse(openPush(request.body, { privateKey: pair.getPrivateKey(), auth }).toString()),
        })),
  }
}

/** A push service: takes messages for any subscription. */
export const startPushService = startReceiver
