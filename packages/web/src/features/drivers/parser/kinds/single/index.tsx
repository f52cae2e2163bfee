import type { ParserOf } from '@leitstand/contract/parsers'
import { LayoutEditor } from '../../LayoutEditor.tsx'
import { emptyLayout, type LayoutsValues, toField, toFieldValues } from '../../layoutValues.ts'
import type { ConsoleParser } from '../types.ts'

/** Decodes bytes by one layout; in the form the first of several, whose condition is ignored. */
export const single: ConsoleParser<LayoutsValues, ParserOf<'single'>> = {
  empty: () => ({ layouts: [emptyLayout()] }),
  toValues: ({ fields }) => ({ layouts: [{ ...emptyLayout(), fields: fields.map(toFieldValues) }] }),
  toParser: ({ layouts }) => ({ kind: 'single', fields: (layouts[0]?.fields ?? []).map(toField) }),
  Editor: LayoutEditor,
  placeOfFault: (path) => path.replace(/^parser\.fields\b/, 'parser.layouts.0.fields'),
}
