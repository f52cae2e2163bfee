import type { ParserOf } from '@leitstand/contract/parsers'
import { LayoutEditor } from '../../LayoutEditor.tsx'
import { emptyLayout, type LayoutsValues, toLayout, toLayoutValues } from '../../layoutValues.ts'
import type { ConsoleParser, EditorProps } from '../types.ts'

/** Decodes bytes by the first of several layouts whose condition matches. */
export const multi: ConsoleParser<LayoutsValues, ParserOf<'multi'>> = {
  empty: () => ({ layouts: [emptyLayout()] }),
  toValues: ({ layouts }) => ({ layouts: layouts.map(toLayoutValues) }),
  toParser: ({ layouts }) => ({ kind: 'multi', layouts: layouts.map(toLayout) }),
  Editor: (props: EditorProps) => <LayoutEditor {...props} several />,
}
