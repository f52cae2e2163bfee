import type { ParserOf } from '@leitstand/contract/parsers'
import { numberOf, type Typed } from '../../layoutValues.ts'
import type { ConsoleParser } from '../types.ts'
import { UrlEditor } from './UrlEditor.tsx'

type Values = { url: string; timeoutMs: Typed; retries: Typed }

/** An external parser, called over HTTP. */
export const url: ConsoleParser<Values, ParserOf<'url'>> = {
  empty: () => ({ url: '', timeoutMs: 1000, retries: 1 }),
  toValues: ({ kind: _, ...values }) => values,
  toParser: (values) => ({
    kind: 'url',
    url: values.url.trim(),
    timeoutMs: numberOf(values.timeoutMs),
    retries: numberOf(values.retries),
  }),
  Editor: UrlEditor,
  addressOf: (parser) => parser.url,
}
