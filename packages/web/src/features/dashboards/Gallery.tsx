import { Modal, Text, UnstyledButton } from '@mantine/core'
import {
  IconChartBar,
  IconChartLine,
  IconGauge,
  IconHeading,
  IconMap2,
  IconNumbers,
  IconTable,
} from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Icon, type IconType } from '../../ui/Icon.tsx'
import classes from './dashboards.module.css'
import { type WidgetKind, widgetKinds } from './widgets.ts'

const icons: Record<WidgetKind, IconType> = {
  line: IconChartLine,
  bar: IconChartBar,
  gauge: IconGauge,
  value: IconNumbers,
  'twin-table': IconTable,
  'twin-map': IconMap2,
  empty: IconHeading,
}

/** The kinds of widgets to choose from. */
export function Gallery(props: {
  opened: boolean
  onClose: () => void
  onChoose: (kind: WidgetKind) => void
}) {
  const { t } = useTranslation()
  return (
    <Modal opened={props.opened} onClose={props.onClose} title={t('dashboards.addWidget')} size="lg">
      <div className={classes.gallery}>
        {widgetKinds.map((kind) => (
          <UnstyledButton
            key={kind}
            className={classes.galleryItem ?? ''}
            onClick={() => props.onChoose(kind)}
          >
            <span className={classes.galleryIcon}>
              <Icon of={icons[kind]} size={22} />
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
