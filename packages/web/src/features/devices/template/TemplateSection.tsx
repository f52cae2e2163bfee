import { Alert, Button, List, Text } from '@mantine/core'
import { IconLink, IconTemplate, IconUnlink } from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { onDemand } from '../../../lib/onDemand.ts'
import { useCan } from '../../../lib/session.ts'
import { Icon } from '../../../ui/display/Icon.tsx'
import { RouterLink } from '../../../ui/page/RouterLink.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import type { Device } from '../queries.ts'

const LinkDialog = onDemand(() => import('./LinkDialog.tsx'))

interface TemplateSectionProps {
  device: Device
  /** the device is unlinked when the form is saved */
  isUnlinking: boolean
  onUnlink: (leave: boolean) => void
  /** the form has unsaved changes, which linking would not include */
  unsaved: boolean
}

/** The device's template: what it sets, and unlinking; or linking to one. */
export function TemplateSection({ device, isUnlinking, onUnlink, unsaved }: TemplateSectionProps) {
  const { t } = useTranslation()
  const can = useCan()
  const [linking, setLinking] = useState(false)
  const reads = can('DeviceTemplate', 'read') || can('DeviceTemplate', 'manage')
  const { templateId, templateTitle, requiredProperties } = device
  if (templateId === null) {
    if (!reads || !device.editable) return null
    return (
      <Section
        title={t('devices.field.template')}
        description={t('templates.noneOfDevice')}
        actions={
          <Button
            variant="default"
            leftSection={<Icon of={IconLink} size={16} />}
            disabled={unsaved}
            onClick={() => setLinking(true)}
          >
            {t('templates.link')}
          </Button>
        }
      >
        {unsaved ? (
          <Text size="sm" c="dimmed">
            {t('deviceHealth.syncUnsaved')}
          </Text>
        ) : null}
        {linking ? (
          <Suspense fallback={null}>
            <LinkDialog device={device} onClose={() => setLinking(false)} />
          </Suspense>
        ) : null}
      </Section>
    )
  }
  return (
    <Section
      title={t('devices.field.template')}
      actions={
        device.editable && !isUnlinking ? (
          <Button
            variant="default"
            leftSection={<Icon of={IconUnlink} size={16} />}
            onClick={() => onUnlink(true)}
          >
            {t('templates.unlink')}
          </Button>
        ) : undefined
      }
    >
      {isUnlinking ? (
        <Alert color="yellow" variant="light" icon={<Icon of={IconUnlink} />}>
          {t('templates.unlinkPending', { title: templateTitle })}{' '}
          <Button variant="subtle" size="compact-sm" onClick={() => onUnlink(false)}>
            {t('templates.keepLink')}
          </Button>
        </Alert>
      ) : (
        <>
          <Text size="sm">
            <Icon of={IconTemplate} size={16} />{' '}
            {reads ? (
              <RouterLink to={`/device-templates/${templateId}`}>{templateTitle}</RouterLink>
            ) : (
              templateTitle
            )}
          </Text>
          <Text size="sm" c="dimmed" mt={6}>
            {t('templates.fixes')}
          </Text>
          <List size="sm" mt={4} c="dimmed">
            <List.Item>{t('templates.fixesDriver')}</List.Item>
            <List.Item>{t('templates.fixesHealth')}</List.Item>
            <List.Item>{t('templates.fixesStates')}</List.Item>
            {requiredProperties.length > 0 ? (
              <List.Item>
                {t('templates.fixesProperties', {
                  keys: requiredProperties.map(({ key }) => key).join(', '),
                })}
              </List.Item>
            ) : null}
          </List>
        </>
      )}
    </Section>
  )
}
