import { Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Section } from '../../../ui/page/Section.tsx'
import { accountPath } from '../../accounts/index.ts'
import { LinkButton } from './LinkButton.tsx'

/** Tabs whose settings are those of the account: its page has the form. */
export const elsewhereTabs = ['email', 'modules', 'feedback', 'terms'] as const
type What = (typeof elsewhereTabs)[number]

/** What can be set, and the way to where it is. */
export function Elsewhere({ accountId, what }: { accountId: number; what: What }) {
  const { t } = useTranslation()
  const places: Readonly<Record<What, string>> = {
    email: `${accountPath(accountId)}?tab=mail`,
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
