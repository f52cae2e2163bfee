import type { WidgetOf } from '@leitstand/contract/dashboards/kinds'
import { useTranslation } from 'react-i18next'
import { thingPath } from '../../../../lib/recent.ts'
import { RelativeTime } from '../../../../ui/display/RelativeTime.tsx'
import { RouterLink } from '../../../../ui/page/RouterLink.tsx'
import { bridgeGaps, Sparkline, stateText } from '../../../twins/index.ts'
import classes from '../../dashboards.module.css'
import { seriesNames } from '../names.ts'
import type { ViewProps } from '../types.ts'

export default function Tiles({ data }: ViewProps<WidgetOf<'value'>>) {
  const { t } = useTranslation()
  const values = data.values ?? []
  const names = seriesNames(values)
  const curves = new Map(data.series?.map((series) => [series.stateId, series.points]))
  return (
    <ul className={classes.tiles}>
      {values.map((value, index) => {
        return (
          <li key={value.stateId} className={classes.tile}>
            <RouterLink
              to={thingPath(value.category, value.twinId)}
              className={classes.tileLabel ?? ''}
              c="dimmed"
              title={value.twinTitle}
            >
              {names[index]}
            </RouterLink>
            <span className={classes.tileValue}>
              {stateText(value.value, { decimals: value.decimals })}
              {value.unit && value.value !== null ? <small>{value.unit}</small> : null}
            </span>
            <span className={classes.tileFoot}>
              <RelativeTime time={value.time} empty={t('states.noValue')} />
              <Sparkline points={bridgeGaps(curves.get(value.stateId) ?? [])} width={90} height={30} />
            </span>
          </li>
        )
      })}
    </ul>
  )
}
