import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './announcements.module.css'
import { Note } from './Note.tsx'
import { useDismiss, useFreshOwn, useOwn } from './useOwn.ts'

/** More would push the page away. */
const shownMax = 2

/** Announcements above every page: the most urgent, the others on request. */
export default function Banners() {
  const { t } = useTranslation()
  const [all, setAll] = useState(false)
  useFreshOwn()
  const banners = useOwn('banner')
  const dismiss = useDismiss()
  const more = banners.length - shownMax
  return (
    <section
      aria-label={t('announcements.label')}
      aria-live="polite"
      className={classes.banners}
      hidden={banners.length === 0}
    >
      {banners.slice(0, all ? undefined : shownMax).map((note) => (
        <Note key={note.id} note={note} onClose={dismiss && (() => dismiss(note.id))} />
      ))}
      {more > 0 ? (
        <button type="button" className={classes.more} onClick={() => setAll((is) => !is)}>
          {t(all ? 'announcements.fewer' : 'announcements.more', { count: more })}
        </button>
      ) : null}
    </section>
  )
}
