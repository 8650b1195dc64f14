def save_report(): pass
