import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Section } from '../../../ui/page/Section.tsx'
import type { Template } from '../queries.ts'
import { SyncBadge } from '../SyncBadge.tsx'

/** State of the template and its devices; the button that publishes is in the header of the page. */
export function PublishSection({ template, unsaved }: { template: Template; unsaved: boolean }) {
  const { t } = useTranslation()
  const { syncState, deviceCount } = template
  return (
    <Section title={t('templates.publishTitle')} description={t('templates.publishText')}>
      <SyncBadge state={syncState} />
      <Text size="sm" mt={6}>
        {template.stage === 'draft'
          ? t('templates.neverPublishedText')
          : t(`templates.syncText.${syncState}`, { count: deviceCount })}
      </Text>
      {unsaved ? (
        <Text size="sm" c="dimmed" mt={6}>
          {t('deviceHealth.syncUnsaved')}
        </Text>
      ) : null}
    </Section>
  )
}
