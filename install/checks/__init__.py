"""What doctor looks at: one module a subject, each check a function from a site to findings."""
