"""What is kept about the user in our folder of user data, outside every workspace: consents, and usage."""
