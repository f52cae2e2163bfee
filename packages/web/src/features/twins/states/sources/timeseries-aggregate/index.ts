import { aggregate } from '../aggregate/index.ts'
import type { ConsoleSource } from '../types.ts'

export const timeseriesAggregate: ConsoleSource<'timeseries-aggregate'> = { ...aggregate, offered: {} }
