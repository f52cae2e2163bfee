import type { WidgetDefinition } from '@leitstand/contract/dashboards'
import { Skeleton } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../ui/display/Icon.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import classes from './dashboards.module.css'
import { widgetFor } from './widgets/index.ts'
import type { ViewProps } from './widgets/types.ts'

type WidgetBodyProps = ViewProps<WidgetDefinition>

/** Content of a widget, or a message if its states were deleted or may not be read. */
export function WidgetBody(props: WidgetBodyProps) {
  const { data } = props
  const nothing = !data.series?.length && !data.values?.length && !data.table && !data.map
  return (
    <>
      {data.error ? <WidgetError error={data.error} alone={nothing} /> : null}
      {data.error && nothing ? null : <WidgetContent {...props} />}
    </>
  )
}

function WidgetContent(props: WidgetBodyProps) {
  const { View } = widgetFor(props.definition)
  return (
    <Suspense
      fallback={
        <Loading>
          <Skeleton height={Math.max(60, props.definition.size.minHeightPx - 70)} />
        </Loading>
      }
    >
      <View {...props} />
    </Suspense>
  )
}

/** The error of one widget, in the user's language. `alone`: there is nothing else to show. */
export function WidgetError(props: { error: { code: string; message: string }; alone: boolean }) {
  const { t, i18n } = useTranslation()
  const key = `errors.${props.error.code}`
  const text = i18n.exists(key) ? t(key) : props.error.message
  if (props.alone) {
    return (
      <div role="alert">
        <EmptyState icon={IconAlertTriangle} title={t('dashboards.widgetFailed')} text={text} compact />
      </div>
    )
  }
  return (
    <div className={classes.warning} role="alert">
      <Icon of={IconAlertTriangle} size={15} />
      {text}
    </div>
  )
}
