import { useTranslation } from 'react-i18next'
import { RouterLink } from '../../../ui/page/RouterLink.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import type { AccountProps } from '../slots.ts'
import { FlagRows } from './FlagRows.tsx'

/** What the console offers in an account, for administrators of the installation; saved immediately. */
export default function FlagSection({ account: { id } }: AccountProps) {
  const { t } = useTranslation()
  return (
    <Section
      id="account-flags"
      title={t('accounts.section.flags')}
      description={t('accounts.flagsHint')}
      actions={<RouterLink to="/account-mgmt-flags">{t('accounts.flagsOfAll')}</RouterLink>}
    >
      <FlagRows accountId={id} />
    </Section>
  )
}
