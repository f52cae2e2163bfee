import { useTranslation } from 'react-i18next'
import { ScrollBox } from '../../../ui/page/ScrollBox.tsx'
import { diffLines } from '../diff.ts'
import classes from '../drivers.module.css'

/** Lines shown around a change. */
const context = 3

interface TextDiffProps {
  before: string
  after: string
  caption: string
  /** label of the area, if several are on one page */
  label?: string
}

/** Two texts side by side, only around their differences. */
export function TextDiff(props: TextDiffProps) {
  const { t } = useTranslation()
  const rows = diffLines(props.before, props.after)
  const changed = rows.flatMap((row, index) => (row.same ? [] : [index]))
  const near = (index: number) => changed.some((at) => Math.abs(at - index) <= context)
  return (
    <ScrollBox label={props.label ?? t('drivers.versions.comparison')}>
      <div className={classes.diff}>
        <table>
          <caption>{props.caption}</caption>
          {/* The first row may be a gap that spans all columns and so cannot set their widths. */}
          <colgroup>
            <col className={classes.lineNumber} />
            <col />
            <col className={classes.lineNumber} />
            <col />
          </colgroup>
          <tbody>
            {rows.map((row, index) => {
              const key = `${row.left?.number ?? '-'}:${row.right?.number ?? '-'}`
              if (!near(index)) {
                return near(index - 1) || index === 0 ? (
                  <tr key={key} className={classes.gap}>
                    <td colSpan={4}>⋯</td>
                  </tr>
                ) : null
              }
              return (
                <tr key={key} data-same={row.same || undefined}>
                  <td className={classes.lineNumber}>{row.left?.number ?? ''}</td>
                  <td className={row.same || !row.left ? undefined : classes.removed}>{row.left?.text}</td>
                  <td className={classes.lineNumber}>{row.right?.number ?? ''}</td>
                  <td className={row.same || !row.right ? undefined : classes.added}>{row.right?.text}</td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
    </ScrollBox>
  )
}
