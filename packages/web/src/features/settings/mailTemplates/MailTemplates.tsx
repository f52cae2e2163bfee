import { useTranslation } from 'react-i18next'
import { one, useUrlSearch } from '../../../lib/url.ts'
import { accountPath } from '../../accounts/index.ts'
import { LinkButton } from '../branding/LinkButton.tsx'
import { TemplateList } from './TemplateList.tsx'
import { TemplatePage } from './TemplatePage.tsx'

/** The words of the emails of an account: all of them, or the one that is open. */
export function MailTemplates({ accountId }: { accountId: number }) {
  const { t } = useTranslation()
  const [search] = useUrlSearch()
  const id = one(search, 'mail')
  if (id !== undefined) return <TemplatePage key={id} accountId={accountId} id={id} />
  return (
    <TemplateList
      accountId={accountId}
      actions={<LinkButton to={`${accountPath(accountId)}?tab=mail`}>{t('branding.open.email')}</LinkButton>}
    />
  )
}
