import { Alert, Button, Stack } from '@mantine/core'
import { IconCircleCheck, IconPlus } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { one, useUrlSearch } from '../../lib/url.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'

/** Leads to the wizard of connectors, which leads back here; then to the new connector, which has address and key. */
export function ConnectorStep() {
  const { t } = useTranslation()
  const [search] = useUrlSearch()
  const made = one(search, 'made')
  return (
    <Stack gap="md" align="flex-start">
      {made?.startsWith('/connectors/edit/') ? (
        <Alert color="green" icon={<Icon of={IconCircleCheck} />} title={t('setup.connector.made')} w="100%">
          <RouterLink to={`${made}?tab=connection`}>{t('setup.connector.open')}</RouterLink>
        </Alert>
      ) : null}
      <Button
        leftSection={<Icon of={IconPlus} />}
        renderRoot={(root) => <Link {...root} to="/connectors/create" search={{ next: 'setup' }} />}
      >
        {t('connectors.create')}
      </Button>
    </Stack>
  )
}
