import { describe, expect, test } from 'vitest'
import { Outgoing, readNetwork } from './outgoing.ts'

describe('where the platform connects to', () => {
  const outgoing = new Outgoing([])

  test.each([
    ['93.184.215.14', true],
    ['1.1.1.1', true],
    ['2606:4700::1111', true],
    ['127.0.0.1', false],
    ['10.1.2.3', false],
    ['172.31.255.255', false],
    ['172.32.0.1', true],
    ['192.168.1.1', false],
    ['100.64.0.1', false],
    ['169.254.169.254', false],
    ['0.0.0.0', false],
    ['224.0.0.1', false],
    ['255.255.255.255', false],
    ['::', false],
    ['::1', false],
    ['::ffff:127.0.0.1', false],
    ['::ffff:7f00:1', false],
    ['64:ff9b::7f00:1', false],
    ['2002:7f00:1::', false],
    ['2001:db8::1', false],
    ['fd00::1', false],
    ['fe80::1', false],
    ['ff02::1', false],
    ['not an address', false],
  ])('%s: %s', (address, allowed) => {
    expect(outgoing.allows(address)).toBe(allowed)
  })

  test('the networks of the operator are open, the others stay closed', () => {
    const own = new Outgoing(['10.0.0.0/8', '127.0.0.1', 'fd00::/8'])
    for (const address of ['10.9.9.9', '127.0.0.1', 'fd12::1', '1.1.1.1'])
      expect(own.allows(address)).toBe(true)
    for (const address of ['127.0.0.2', '192.168.0.1', 'fe80::1']) expect(own.allows(address)).toBe(false)
  })

  test('a name is as good as what it stands for', async () => {
    await expect(outgoing.addressOf('localhost')).rejects.toMatchObject({
      code: 'OUTGOING_ADDRESS_FORBIDDEN',
    })
    await expect(outgoing.addressOf('[::1]')).rejects.toMatchObject({ code: 'OUTGOING_ADDRESS_FORBIDDEN' })
    await expect(outgoing.addressOf('mail.invalid')).rejects.toMatchObject({ code: 'OUTGOING_HOST_UNKNOWN' })
    expect(['127.0.0.1', '::1']).toContain(await new Outgoing(['127.0.0.0/8', '::1']).addressOf('localhost'))
    // Other notations of 127.0.0.1 are resolved first and refused then.
    for (const host of ['2130706433', '0x7f.1', '127.1'])
      await expect(outgoing.addressOf(host)).rejects.toMatchObject({ status: 422 })
  })
})

test.each([
  ['10.0.0.0/8', { address: '10.0.0.0', prefix: 8, family: 'ipv4' }],
  ['::1', { address: '::1', prefix: 128, family: 'ipv6' }],
  ['10.0.0.0/33', undefined],
  ['10.0.0.0/', undefined],
  ['10.0.0.0/8/8', undefined],
  ['example.org', undefined],
])('the network %s', (text, network) => {
  expect(readNetwork(text)).toEqual(network)
})
