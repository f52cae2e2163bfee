import { actions, subjects } from '@leitstand/contract/permissions'
import { Badge, Group, SimpleGrid, Stack, Title, useMantineColorScheme } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { setLanguage } from '../../lib/i18n.ts'
import { saveUserDefaults, type UserDefaults, useSession, useUser } from '../../lib/session.ts'
import { Fact } from '../../ui/display/Fact.tsx'
import { notifyError, notifySuccess } from '../../ui/feedback/notify.ts'
import { Section } from '../../ui/page/Section.tsx'
import { SlotParts } from '../../ui/page/SlotParts.tsx'
import { DefaultsFields } from './DefaultsFields.tsx'
import { PasswordSection } from './PasswordSection.tsx'
import { SessionsSection } from './SessionsSection.tsx'
import { profileSections } from './slots.ts'
import { TwoFactorSection } from './TwoFactorSection.tsx'

/** Profile, personal defaults (applied and saved immediately) and permissions. */
export default function ProfilePage() {
  const { t } = useTranslation()
  const user = useUser()
  const session = useSession()
  const { setColorScheme } = useMantineColorScheme()
  const defaults: UserDefaults = user.properties.userDefaults ?? {}
  const save = useMutation({
    mutationFn: saveUserDefaults,
    onSuccess: () => notifySuccess(t('common.saved')),
    onError: (error) => notifyError(error),
  })
  const take = (change: UserDefaults) => {
    if (change.language) void setLanguage(change.language)
    if ('uiTheme' in change)
      setColorScheme(change.uiTheme === undefined ? 'auto' : change.uiTheme ? 'dark' : 'light')
    save.mutate(change)
  }
  const permissions = session.status === 'user' ? session.access.permissions : []
  return (
    <Stack gap="lg" maw={820}>
      <Title order={1}>{t('screens.userProfile.title')}</Title>
      <Section title={t('profile.account')}>
        <SimpleGrid cols={{ base: 1, xs: 3 }}>
          <Fact label={t('profile.name')}>
            {[user.firstName, user.lastName].filter(Boolean).join(' ') || '–'}
          </Fact>
          <Fact label={t('profile.username')}>{user.username}</Fact>
          <Fact label={t('profile.email')}>{user.email}</Fact>
        </SimpleGrid>
      </Section>
      <Section title={t('profile.defaults')} description={t('profile.defaultsHint')}>
        <DefaultsFields value={defaults} onChange={take} />
      </Section>
      {session.status === 'user' && session.impersonator ? null : (
        <>
          <PasswordSection />
          <TwoFactorSection />
          <SessionsSection />
          <SlotParts slot={profileSections} props={{}} />
        </>
      )}
      <Section title={t('profile.permissions')} description={t('profile.permissionsHint')}>
        <Permissions held={new Set(permissions)} />
      </Section>
    </Stack>
  )
}

/** Permissions by subject; subjects without any are left out. */
function Permissions({ held }: { held: ReadonlySet<string> }) {
  const { t } = useTranslation()
  const rows = subjects
    .map((subject) => ({ subject, allowed: actions.filter((action) => held.has(`${subject}.${action}`)) }))
    .filter((row) => row.allowed.length > 0)
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" verticalSpacing="sm">
      {rows.map(({ subject, allowed }) => (
        <Fact key={subject} label={t(`permissions.subjects.${subject.replace('.', '_')}`)}>
          <Group gap={4}>
            {(allowed.includes('manage') ? (['manage'] as const) : allowed).map((action) => (
              <Badge key={action} color="gray">
                {t(`permissions.actions.${action}`)}
              </Badge>
            ))}
          </Group>
        </Fact>
      ))}
    </SimpleGrid>
  )
}
