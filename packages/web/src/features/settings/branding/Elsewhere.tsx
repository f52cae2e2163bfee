import { Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Section } from '../../../ui/page/Section.tsx'
import { accountPath } from '../../accounts/index.ts'
import { MailTemplates } from '../mailTemplates/MailTemplates.tsx'
import { LinkButton } from './LinkButton.tsx'

/** Tabs whose settings do not depend on the domain; for most of them the page of the account has the form. */
export const elsewhereTabs = ['email', 'modules', 'feedback', 'terms'] as const
type What = (typeof elsewhereTabs)[number]

/** The templates of emails; of everything else what can be set, and the way to where it is. */
export function Elsewhere({ accountId, what }: { accountId: number; what: What }) {
  const { t } = useTranslation()
  if (what === 'email') return <MailTemplates accountId={accountId} />
  const places: Readonly<Record<typeof what, string>> = {
    modules: `/account-mgmt-modules?account=${accountId}`,
    feedback: accountPath(accountId),
    terms: accountPath(accountId),
  }
  return (
    <Section title={t(`branding.tab.${what}`)}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm" maw={640}>
          {t(`branding.elsewhere.${what}`)}
        </Text>
        <LinkButton to={places[what]}>{t(`branding.open.${what}`)}</LinkButton>
      </Stack>
    </Section>
  )
}
