import type { Dashboard, Widget, WidgetDefinition } from '@leitstand/contract/dashboards'
import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { notifyError } from '../../ui/feedback/notify.ts'
import { notifyUndo } from '../../ui/feedback/notifyUndo.ts'
import { dataKey } from './useData.ts'
import { kindText } from './widgets/index.ts'

/**
 * Changes to a dashboard. Applied optimistically where possible; the server's reply replaces the cached data,
 * and after a failure the error is shown and the data is read again.
 */
export function useBoardChanges(board: Dashboard) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const { id } = board
  return useMemo(() => {
    const { queryKey } = api.dashboards.get.queryOptions({ input: { id } })
    const current = () => (cache.getQueryData(queryKey) as Dashboard | undefined) ?? board
    const show = (next: Dashboard) => cache.setQueryData(queryKey, next as never)
    const readData = () => cache.invalidateQueries({ queryKey: dataKey(id) })

    /** Runs a change; returns `false` if it failed, after showing the error. */
    const attempt = async (run: () => Promise<unknown>): Promise<boolean> => {
      try {
        show((await run()) as Dashboard)
        await cache.invalidateQueries({ queryKey: api.dashboards.list.key() })
        return true
      } catch (error) {
        notifyError(error, t('dashboards.changeFailed'))
        await cache.invalidateQueries({ queryKey })
        return false
      }
    }

    const order = async (ids: number[]) => {
      const before = current()
      const widgets = ids.flatMap((each) => before.widgets.find((widget) => widget.id === each) ?? [])
      show({ ...before, widgets })
      await attempt(() => client.dashboards.orderWidgets({ id, order: ids }))
    }

    const restore = async ({ definition }: Widget, position: number) => {
      if (await attempt(() => client.dashboards.addWidget({ id, definition, position }))) await readData()
    }

    return {
      order,
      /** Throws the server's error, which the editor shows. */
      add: async (definition: WidgetDefinition) => {
        show((await client.dashboards.addWidget({ id, definition })) as Dashboard)
        await readData()
      },
      configure: async (widgetId: number, definition: WidgetDefinition) => {
        show((await client.dashboards.configWidget({ id, widgetId, definition })) as Dashboard)
        await readData()
      },
      copy: async (widget: Widget) => {
        const place = current().widgets.findIndex((each) => each.id === widget.id)
        await restore(widget, place + 1)
      },
      /** Removes immediately and offers undo. */
      remove: async (widget: Widget) => {
        const place = current().widgets.findIndex((each) => each.id === widget.id)
        const removed = await attempt(() => client.dashboards.deleteWidget({ id, widgetId: widget.id }))
        if (!removed) return
        const text = t('dashboards.widgetRemoved', {
          title: widget.definition.title || t(kindText(widget.definition)),
        })
        notifyUndo(text, () => restore(widget, place))
      },
    }
  }, [board, id, cache, t])
}
