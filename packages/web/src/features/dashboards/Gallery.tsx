import type { WidgetKind } from '@leitstand/contract/dashboards/kinds'
import { Modal, Text, UnstyledButton } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../ui/display/Icon.tsx'
import classes from './dashboards.module.css'
import { offeredKinds, widgets } from './widgets/index.ts'

/** The widget kinds to choose from. */
export function Gallery(props: {
  opened: boolean
  onClose: () => void
  onChoose: (kind: WidgetKind) => void
}) {
  const { t } = useTranslation()
  return (
    <Modal opened={props.opened} onClose={props.onClose} title={t('dashboards.addWidget')} size="lg">
      <div className={classes.gallery}>
        {offeredKinds.map((kind) => (
          <UnstyledButton
            key={kind}
            className={classes.galleryItem ?? ''}
            onClick={() => props.onChoose(kind)}
          >
            <span className={classes.galleryIcon}>
              <Icon of={widgets[kind].icon} size={22} />
            </span>
            <Text fw={550}>{t(`dashboards.kinds.${kind}`)}</Text>
            <Text size="xs" c="dimmed">
              {t(`dashboards.kindTexts.${kind}`)}
            </Text>
          </UnstyledButton>
        ))}
      </div>
    </Modal>
  )
}
