import { useTranslation } from 'react-i18next'
import classes from './layout.module.css'

/** Jumps to the sections of a long page; `id` is that of a `Section`. */
export function SectionNav({ sections }: { sections: readonly { id: string; label: string }[] }) {
  const { t } = useTranslation()
  const go = (id: string) => {
    const section = document.getElementById(id)
    section?.scrollIntoView({ block: 'start' })
    section?.focus({ preventScroll: true })
  }
  return (
    <nav aria-label={t('common.onThisPage')} className={classes.sectionNav}>
      {sections.map(({ id, label }) => (
        // Not links: the hash of the address is the screen.
        <button key={id} type="button" className={classes.sectionLink} onClick={() => go(id)}>
          {label}
        </button>
      ))}
    </nav>
  )
}
