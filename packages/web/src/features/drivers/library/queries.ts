import type { contract } from '@leitstand/contract'
import type { InferContractRouterOutputs } from '@orpc/contract'
import { useTranslation } from 'react-i18next'

type Outputs = InferContractRouterOutputs<typeof contract>
export type LibraryRow = Outputs['devicedrivers']['library']['items'][number]
export type LibraryDriver = Outputs['devicedrivers']['libraryDriver']
export type Changes = NonNullable<NonNullable<LibraryDriver['installed']>['changes']>

/** Returns texts of bundled drivers in the console's language. */
export function useTranslated(): (text: { de: string; en: string }) => string {
  const { i18n } = useTranslation()
  return (text) => (i18n.language.startsWith('de') ? text.de : text.en)
}
