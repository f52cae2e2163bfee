import { Alert, List, Stack, Text } from '@mantine/core'
import { IconKey } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../../../ui/display/Icon.tsx'
import { Section } from '../../../../ui/page/Section.tsx'
import { Copyable } from '../../ConnectionParts.tsx'
import type { Connector } from '../../queries.ts'

/**
 * Target address for network servers, and how to enter it there. @param url with the key, or a placeholder
 */
export function Address(props: { connector: Connector; url: string; freshKey: string | null }) {
  const { t } = useTranslation()
  const { connector, url, freshKey } = props
  const { preset } = connector
  return (
    <Section title={t('connectors.connection.webhook')} description={t('connectors.connection.webhookText')}>
      <Stack gap="md">
        {freshKey === null ? null : (
          <Alert color="yellow" variant="light" icon={<Icon of={IconKey} />}>
            {t('connectors.connection.keyOnce')}
          </Alert>
        )}
        <Copyable label={t('connectors.connection.url')} value={url} />
        {freshKey === null ? (
          <Text size="sm" c="dimmed">
            {t('connectors.connection.keyHidden')}
          </Text>
        ) : (
          <>
            <Text size="sm" c="dimmed">
              {t('connectors.connection.headerText', { url: connector.endpoints[0] ?? '' })}
            </Text>
            <Copyable label="x-api-key" value={freshKey} />
          </>
        )}
        {preset === 'tts-v3' || preset === 'chirpstack-v4' ? (
          <List size="sm" type="ordered" spacing={4}>
            {t(`connectors.connection.steps.${preset}`)
              .split('\n')
              .map((step) => (
                <List.Item key={step}>{step}</List.Item>
              ))}
          </List>
        ) : null}
      </Stack>
    </Section>
  )
}
