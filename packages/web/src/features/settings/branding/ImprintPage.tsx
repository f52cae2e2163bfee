import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { currentLanguage } from '../../../lib/i18n.ts'
import { TextPage } from './TextPage.tsx'

/** The imprint of the domain the console was opened under. */
export default function ImprintPage() {
  const { t } = useTranslation()
  const input = { host: window.location.hostname, language: currentLanguage() }
  const page = useQuery(api.brand.page.queryOptions({ input }))
  return <TextPage title={t('screens.imprint.title')} text={page.data?.imprint} query={page} />
}
