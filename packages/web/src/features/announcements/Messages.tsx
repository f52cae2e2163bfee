import { useTranslation } from 'react-i18next'
import classes from './announcements.module.css'
import { Note } from './Note.tsx'
import { useDismiss, useOwn } from './useOwn.ts'

/** Announcements on the home page. `Banners`, which is on every page, keeps them up to date. */
export default function Messages() {
  const { t } = useTranslation()
  const messages = useOwn('message')
  const dismiss = useDismiss()
  if (messages.length === 0) return null
  return (
    <section aria-label={t('screens.announcements.title')} className={classes.messages}>
      {messages.map((note) => (
        <Note key={note.id} note={note} onClose={dismiss && (() => dismiss(note.id))} />
      ))}
    </section>
  )
}
