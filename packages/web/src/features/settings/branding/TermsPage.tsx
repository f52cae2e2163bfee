import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { TextPage } from './TextPage.tsx'

/** The terms of use of the domain the console was opened under. */
export default function TermsPage() {
  const { t } = useTranslation()
  const terms = useQuery(api.terms.ofDomain.queryOptions({ input: { domain: window.location.hostname } }))
  return <TextPage title={t('screens.terms.title')} text={terms.data?.text} query={terms} />
}
