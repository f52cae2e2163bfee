import type {
  DownlinkParameter,
  DownlinkValue,
  ParameterFault,
  PayloadFault,
} from '@leitstand/contract/downlinkPayload'
import type { PredefinedDownlink } from '@leitstand/contract/downlinks'

export const parameterTypes = ['integer', 'float', 'enum', 'bool', 'text'] as const
export type ParameterType = (typeof parameterTypes)[number]

/** An error of a value or, without a parameter, of the payload. */
export interface ValueFault {
  parameter: string | null
  fault: ParameterFault | PayloadFault
}

export function newDownlink(name: string): PredefinedDownlink {
  return {
    name,
    description: '',
    port: 1,
    payload: '00',
    encoding: 'base16',
    confirmed: false,
    gateways: [],
    parameters: [],
  }
}

/** A parameter of a new type in the position of another one. */
export function newParameter(
  type: ParameterType,
  { key, title, startBit }: Pick<DownlinkParameter, 'key' | 'title' | 'startBit'>,
): DownlinkParameter {
  const base = { key, title, startBit }
  const bounds = { min: null, max: null }
  if (type === 'bool') return { type, ...base }
  if (type === 'text') return { type, ...base, bytes: 1 }
  if (type === 'enum')
    return { type, ...base, bits: 8, byteOrder: 'big', options: [{ value: 0, title: '0' }] }
  if (type === 'float')
    return { type, ...base, bits: 32, byteOrder: 'big', factor: null, signed: false, ...bounds }
  return { type, ...base, bits: 8, signed: false, byteOrder: 'big', ...bounds }
}

/** Initial field values; numbers start empty. */
export function firstValues(parameters: readonly DownlinkParameter[]): Record<string, DownlinkValue> {
  const values: Record<string, DownlinkValue> = {}
  for (const parameter of parameters) {
    if (parameter.type === 'bool') values[parameter.key] = false
    else if (parameter.type === 'enum') values[parameter.key] = parameter.options[0]?.value ?? 0
    else if (parameter.type === 'text') values[parameter.key] = ''
    else if (parameter.min !== null) values[parameter.key] = parameter.min
  }
  return values
}

/** The first bit after all parameters, for the next one. */
export function nextBit(parameters: readonly DownlinkParameter[]): number {
  const ends = parameters.map((parameter) => {
    const bits =
      parameter.type === 'bool' ? 1 : parameter.type === 'text' ? parameter.bytes * 8 : parameter.bits
    return Number(parameter.startBit) + Number(bits)
  })
  return Math.max(0, ...ends.filter((end) => Number.isFinite(end)))
}

/** Options as lines `value = title`. */
export function optionLines(options: readonly { value: number; title: string }[]): string {
  return options.map(({ value, title }) => `${value} = ${title}`).join('\n')
}

/** Parses the lines; a line without a number becomes one that validation reports. */
export function readOptions(text: string): { value: number; title: string }[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [value = '', ...title] = line.split('=')
      const number = value.trim() === '' ? Number.NaN : Number(value.trim())
      return { value: number, title: title.join('=').trim() || value.trim() }
    })
}

/** A name for a new downlink that no other one has: `Downlink 3`. */
export function nameOfNext(downlinks: readonly { name: string }[], name: string): string {
  const taken = new Set(downlinks.map((each) => each.name))
  for (let number = downlinks.length + 1; ; number++)
    if (!taken.has(`${name} ${number}`)) return `${name} ${number}`
}
