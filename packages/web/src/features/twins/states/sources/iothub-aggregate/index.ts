import { aggregate } from '../aggregate/index.ts'
import type { ConsoleSource } from '../types.ts'

export const iothubAggregate: ConsoleSource<'iothub-aggregate'> = { ...aggregate, offered: {} }
