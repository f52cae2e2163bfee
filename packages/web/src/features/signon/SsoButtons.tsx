import { Button, Divider, Stack } from '@mantine/core'
import { IconShieldCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import classes from './sso.module.css'

/**
 * Sign-in buttons for the providers of this domain's account; nothing if there are none or while loading, as
 * password sign-in is always available.
 */
export function SsoButtons({ redirect }: { redirect: string }) {
  const { t } = useTranslation()
  const input = { domain: location.hostname }
  const oidc = useQuery(api.sso.oidcButtons.queryOptions({ input }))
  const oauth2 = useQuery(api.sso.oauth2Buttons.queryOptions({ input }))
  const buttons = [...(oidc.data?.items ?? []), ...(oauth2.data?.items ?? [])]
  if (buttons.length === 0) return null
  return (
    <Stack gap="sm" mt="md">
      <Divider label={t('auth.or')} />
      {buttons.map(({ title, logo, startPath }) => (
        <Button
          key={startPath}
          component="a"
          href={`${startPath}?${new URLSearchParams({ redirect })}`}
          variant="default"
          size="md"
          fullWidth
          classNames={{ root: classes.button, label: classes.buttonLabel }}
          leftSection={
            logo ? <img src={logo} alt="" className={classes.buttonLogo} /> : <Icon of={IconShieldCheck} />
          }
        >
          {t('auth.signInWith', { title })}
        </Button>
      ))}
    </Stack>
  )
}
