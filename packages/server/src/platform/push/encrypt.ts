import { createCipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto'

/** The keys of a browser, from its subscription. */
export interface PushKeys {
  /** uncompressed point of P-256, 65 bytes */
  readonly p256dh: Buffer
  /** 16 bytes */
  readonly auth: Buffer
}

const curve = 'prime256v1'
const recordBytes = 4096
const keyBytes = 65
const tagBytes = 16
/** A push service takes one record of 4096 bytes: the header, the text, a byte that ends it, the tag. */
export const pushBytesMax = recordBytes - (16 + 4 + 1 + keyBytes) - 1 - tagBytes

/**
 * Encrypts a message for one browser (RFC 8291, `aes128gcm` of RFC 8188): the push service cannot read it.
 * @param random absent: fresh for each message, as it has to be
 * @throws when `p256dh` is no point of the curve
 */
export function encryptPush(
  text: Buffer,
  { p256dh, auth }: PushKeys,
  random: { salt: Buffer; privateKey?: Buffer } = { salt: randomBytes(16) },
): Buffer {
  if (text.length > pushBytesMax) throw new RangeError('a push message is too large')
  const own = createECDH(curve)
  if (random.privateKey) own.setPrivateKey(random.privateKey)
  else own.generateKeys()
  const shared = own.computeSecret(p256dh)
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), p256dh, own.getPublicKey()])
  const secret = derive(shared, auth, info, 32)
  const key = derive(secret, random.salt, 'Content-Encoding: aes128gcm\0', 16)
  const nonce = derive(secret, random.salt, 'Content-Encoding: nonce\0', 12)
  const cipher = createCipheriv('aes-128-gcm', key, nonce)
  const header = Buffer.alloc(5)
  header.writeUInt32BE(recordBytes)
  header.writeUInt8(keyBytes, 4)
  return Buffer.concat([
    ...[random.salt, header, own.getPublicKey()],
    // 2 ends the last record.
    ...[cipher.update(text), cipher.update(Buffer.from([2])), cipher.final(), cipher.getAuthTag()],
  ])
}

/** Whether keys of a subscription can be used to encrypt. */
export function areKeys({ p256dh, auth }: PushKeys): boolean {
  if (p256dh.length !== keyBytes || auth.length !== 16) return false
  try {
    const own = createECDH(curve)
    own.generateKeys()
    own.computeSecret(p256dh)
    return true
  } catch {
    return false // no point of the curve
  }
}

function derive(secret: Buffer, salt: Buffer, info: Buffer | string, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, info, length))
}
